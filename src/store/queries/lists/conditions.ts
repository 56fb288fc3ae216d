import { type RawBuilder, sql } from 'kysely'

/** A part of a WHERE clause. */
export type Condition = RawBuilder<unknown>

/** Those that are given. */
export function conditionsOf(...all: readonly (Condition | undefined)[]): readonly Condition[] {
  return all.filter((one) => one !== undefined)
}

/** `column = value`; undefined when nothing is asked for. */
export function equals(column: string, value: string | number | undefined): Condition | undefined {
  return value === undefined ? undefined : sql`${sql.raw(column)} = ${value}`
}

/** One of several values, of which there is one at least. */
export function oneOf(
  column: string,
  values: readonly (string | number)[] | undefined,
): Condition | undefined {
  return values === undefined ? undefined : sql`${sql.raw(column)} IN (${sql.join(values)})`
}

/**
 * A half-open span of time. The plus keeps an index on the column out of it: it would have all rows of
 * the span looked at for the few of a page, which come in another order.
 */
export function within(
  column: string,
  { since, until }: { readonly since?: number; readonly until?: number },
): Condition | undefined {
  if (since === undefined && until === undefined) return undefined
  const [from, to] = [since ?? Number.MIN_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER]
  const time = sql.raw(`+${column}`)
  return sql`${time} >= ${from} AND ${time} < ${to}`
}

/** Some column holds this text, in any case of the letters A to Z. */
export function contains(
  columns: readonly string[],
  text: string | undefined,
): Condition | undefined {
  if (text === undefined || text === '') return undefined
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const pattern = `%${lower.replace(/[!%_]/g, '!$&')}%`
  const each = columns.map(
    (column) => sql`lower(${sql.raw(column)}) LIKE ${pattern} ESCAPE ${sql.lit('!')}`,
  )
  return sql`(${sql.join(each, sql` OR `)})`
}

/** Begins with this text, byte for byte. */
export function beginsWith(column: string, text: string | undefined): Condition | undefined {
  if (text === undefined || text === '') return undefined
  const { length } = [...text]
  return sql`substr(${sql.raw(column)}, 1, ${length}) = ${text}`
}
