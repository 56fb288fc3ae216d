/**
 * Whether an answer may go compressed (RFC 9110, 12.5.3): gzip is named with a weight above 0, and not
 * less than plain bytes are.
 */
export function isGzipAccepted({ headers }: Pick<Request, 'headers'>): boolean {
  const header = headers.get('accept-encoding')
  if (header === null) return false
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))
    weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)))
  }
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0)
}
