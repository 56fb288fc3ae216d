export type Coding = 'br' | 'gzip'

type Asked = Pick<Request, 'headers'>

/** The best coding that the client accepts (RFC 9110, 12.5.3); undefined: none is better than identity. */
export function acceptedCoding(request: Asked): Coding | undefined {
  const weights = weightsOf(request)
  const identity = weights.get('identity') ?? 0
  const rated = (['br', 'gzip'] as const)
    .map((coding) => ({ coding, weight: weightOf(weights, coding) }))
    .filter(({ weight }) => weight > 0 && weight >= identity)
  return rated.sort((one, other) => other.weight - one.weight)[0]?.coding
}

/** Whether the client accepts gzip, at a weight no lower than identity. */
export function isGzipAccepted(request: Asked): boolean {
  const weights = weightsOf(request)
  const gzip = weightOf(weights, 'gzip')
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0)
}

function weightOf(weights: ReadonlyMap<string, number>, coding: Coding): number {
  const other = coding === 'gzip' ? weights.get('x-gzip') : undefined
  return weights.get(coding) ?? other ?? weights.get('*') ?? 0
}

function weightsOf({ headers }: Asked): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const part of (headers.get('accept-encoding') ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    if (coding === '') continue
    const weight = parameters.find((text) => text.startsWith('q='))
    weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)))
  }
  return weights
}
