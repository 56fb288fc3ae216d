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

/** Countries that are served, as they stand in a form. */
export interface RegionValues {
  kind: 'all' | 'allow' | 'deny'
  /** Codes, with commas or spaces between, where it is not all. */
  countries: string
}

interface Regions {
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

/** As a form shows them. */
export function regionValues(regions: Regions | null | undefined): RegionValues {
  const { allow, deny } = regions ?? {}
  const kind = allow ? 'allow' : deny ? 'deny' : 'all'
  return { kind, countries: (allow ?? deny ?? []).join(', ') }
}

/** As the API wants them. */
export function readRegions({ kind, countries }: RegionValues) {
  if (kind === 'all') return null
  return { [kind]: countries.split(/[\s,]+/).filter((code) => code !== '') }
}

/** The form's field of what the API says of `regions.allow.0`. */
export const regionField = (field: string): string =>
  field.split('.')[0] === 'regions' ? 'regions.countries' : field

/** What stands one a line, or with commas between. */
export const linesOf = (text: string) =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The fields of `after` that differ from `before`. */
export function changedIn<Change>(before: object, after: object): Partial<Change> {
  const old = new Map(Object.entries(before).map(([name, one]) => [name, JSON.stringify(one)]))
  const changed = Object.entries(after).filter(
    ([name, one]) => JSON.stringify(one) !== old.get(name),
  )
  return Object.fromEntries(changed) as Partial<Change>
}
