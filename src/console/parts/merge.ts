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

/** What is typed in a form, over what was saved meanwhile: all that nobody typed becomes new. */
export function merge<Values>({ before, typed, now }: Versions<Values>): Merged<Values> {
  if (isSame(typed, before) || isSame(typed, now)) return { values: now, isClash: false }
  if (isMap(before) && isMap(typed) && isMap(now)) {
    const fields = Object.keys(typed).map((name) => {
      const versions = { before: before[name], typed: typed[name], now: now[name] }
      return [name, merge(versions)] as const
    })
    return {
      values: Object.fromEntries(fields.map(([name, { values }]) => [name, values])) as Values,
      isClash: fields.some(([, { isClash }]) => isClash),
    }
  }
  return { values: typed, isClash: !isSame(before, now) }
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
