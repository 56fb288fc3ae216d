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

/** Each of these is changed by itself; all else is sent whole. */
const parts = ['limits', 'budget']

/** The fields of `after` that differ from `before`. */
export function changedIn<Change>(before: object, after: object): Partial<Change> {
  const old = new Map<string, object>(Object.entries(before))
  const changed = Object.entries(after)
    .filter(([name, one]) => !isSame(one, old.get(name)))
    .map(([name, one]) => [name, parts.includes(name) ? changedIn(old.get(name) ?? {}, one) : one])
  return Object.fromEntries(changed) as Partial<Change>
}

interface Versions<Values> {
  /** What a form was filled with. */
  readonly before: Values
  /** What stands in it. */
  readonly typed: Values
  /** What it would be filled with now. */
  readonly now: Values
}

interface Merged<Values> {
  readonly values: Values
  /** Something that was typed was changed to something else meanwhile. */
  readonly isClash: boolean
}

/** What is typed, or what was saved meanwhile, as one: it is not made of parts of both. */
export function choose<Values>({ before, typed, now }: Versions<Values>): Merged<Values> {
  const isNow = isSame(typed, before) || isSame(typed, now)
  return isNow ? { values: now, isClash: false } : { values: typed, isClash: !isSame(before, now) }
}

/** What is typed in a form, over what was saved meanwhile: all that nobody typed becomes new. */
export function merge<Values>(versions: Versions<Values>): Merged<Values> {
  const { before, typed, now } = versions
  if (!isMap(before) || !isMap(typed) || !isMap(now)) return choose(versions)
  const fields = Object.keys(typed).map((name) => {
    const merged = merge({ before: before[name], typed: typed[name], now: now[name] })
    return [name, merged] as const
  })
  return {
    values: Object.fromEntries(fields.map(([name, { values }]) => [name, values])) as Values,
    isClash: fields.some(([, { isClash }]) => isClash),
  }
}

/** Whether two values of a form say the same. */
export const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
