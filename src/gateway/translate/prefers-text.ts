/**
 * Whether an `Accept` header asks for plain text rather than JSON (RFC 9110, 12.5.1). JSON is for
 * whoever has no preference: no header, a star, both alike, or neither.
 */
export function prefersText(accept: string | null): boolean {
  if (accept === null) return false
  const ranges = accept.toLowerCase().split(',').map(parseRange)
  return weightOf('text', 'plain', ranges) > weightOf('application', 'json', ranges)
}

interface Range {
  readonly name: string
  readonly weight: number
}

/** `text/plain;q=0.5`. Parameters other than the weight make no difference to us. */
function parseRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  // A weight that is none can't speak for its range.
  return { name, weight: /^(0(\.\d*)?|1(\.0*)?)$/.test(weight) ? Number(weight) : 0 }
}

/** The most precise range that fits decides, whatever the others say. */
function weightOf(type: string, subtype: string, ranges: readonly Range[]): number {
  for (const name of [`${type}/${subtype}`, `${type}/*`, '*/*']) {
    const fitting = ranges.filter((range) => range.name === name)
    if (fitting.length > 0) return Math.max(...fitting.map(({ weight }) => weight))
  }
  return 0
}
