import type { Limits, Regions } from '../ports/catalog.ts'

/** Reads a JSON column that `write` filled: its type is the writer's promise, not checked again. */
export function parseColumn<Value>(text: string): Value {
  return JSON.parse(text) as Value
}

const emptyList: readonly never[] = []

/** A column that holds a list of strings; the empty list, the usual one, is shared. */
export function parseList(text: string): readonly string[] {
  return text === '[]' ? emptyList : parseColumn<readonly string[]>(text)
}

/** A column that holds which countries are served. */
export const parseRegions = (text: string | null): Regions | null =>
  text === null ? null : parseColumn<Regions>(text)

/** The same for the column: equal ones are equal texts. */
export function regionsText(regions: Regions | null): string | null {
  if (regions === null) return null
  return JSON.stringify('allow' in regions ? { allow: regions.allow } : { deny: regions.deny })
}

/** The three columns of everything that can have limits: out of a row, and into one. */
export function limitsOf({ rpm, tpm, concurrency }: Limits): Limits {
  return { rpm, tpm, concurrency }
}
