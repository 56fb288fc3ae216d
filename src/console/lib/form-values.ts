/** Each of these is changed by itself; all else is sent whole. */
const parts: readonly string[] = ['limits', 'budget'] satisfies Part[]
type Part = 'limits' | 'budget'
export type Changed<Sent> = { [K in keyof Sent]?: K extends Part ? Partial<Sent[K]> : Sent[K] }

/** The fields of `after` that differ from `before`. */
export function changedIn<Sent>(before: object, after: object): Changed<Sent> {
  const old = new Map<string, object>(Object.entries(before))
  const changed = Object.entries(after)
    .filter(([name, one]) => !isSame(one, old.get(name)))
    .map(([name, one]) => [name, parts.includes(name) ? changedIn(old.get(name) ?? {}, one) : one])
  return Object.fromEntries(changed) as Changed<Sent>
}

interface Versions<Values> {
  /** What a form was filled with. */
  readonly before: Values
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
