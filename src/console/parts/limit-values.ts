/** Limits as they stand in a form; empty: none. */
export interface LimitValues {
  rpm: number | string
  tpm: number | string
  concurrency: number | string
}

interface Limits {
  readonly rpm: number | null
  readonly tpm: number | null
  readonly concurrency: number | null
}

/** Limits as a form shows them. */
export const limitValues = (limits: Limits | undefined): LimitValues => ({
  rpm: limits?.rpm ?? '',
  tpm: limits?.tpm ?? '',
  concurrency: limits?.concurrency ?? '',
})

/** Limits as the API wants them. */
export const readLimits = ({ rpm, tpm, concurrency }: LimitValues) => ({
  rpm: read(rpm),
  tpm: read(tpm),
  concurrency: read(concurrency),
})

/** What is no number goes as it is: the API refuses it at its field. */
function read(value: number | string): number | null {
  if (value === '') return null
  const limit = Number(value)
  return Number.isNaN(limit) ? (value as never) : limit
}
