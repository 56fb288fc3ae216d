import type { SqlValue } from '../thread.ts'
import type { Condition } from './search.ts'

/** Those that are given. */
export function conditionsOf(...all: readonly (Condition | undefined)[]): readonly Condition[] {
  return all.filter((one) => one !== undefined)
}

/** `column = ?`; undefined when nothing is asked for. */
export function equals(column: string, value: SqlValue | undefined): Condition | undefined {
  return value === undefined ? undefined : { sql: `${column} = ?`, values: [value] }
}

/** One of several values, of which there is one at least. */
export function oneOf(
  column: string,
  values: readonly SqlValue[] | undefined,
): Condition | undefined {
  if (values === undefined) return undefined
  return { sql: `${column} IN (${values.map(() => '?').join(', ')})`, values }
}

/** A half-open span of time. */
export function within(
  column: string,
  { since, until }: { readonly since?: number; readonly until?: number },
): Condition | undefined {
  if (since === undefined && until === undefined) return undefined
  return {
    sql: `${column} >= ? AND ${column} < ?`,
    values: [since ?? Number.MIN_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER],
  }
}

/** Some column holds this text, in any case of the letters A to Z. */
export function contains(
  columns: readonly string[],
  text: string | undefined,
): Condition | undefined {
  if (text === undefined || text === '') return undefined
  const one = `instr(lower(${columns.join(`), lower(?)) > 0 OR instr(lower(`)}), lower(?)) > 0`
  return { sql: `(${one})`, values: columns.map(() => text) }
}

/** Begins with this text, byte for byte. */
export function beginsWith(column: string, text: string | undefined): Condition | undefined {
  if (text === undefined || text === '') return undefined
  return { sql: `substr(${column}, 1, length(?)) = ?`, values: [text, text] }
}
