import { type CustomTypesConfig, types } from 'pg'

/** Numbers of the database that are numbers here, too: money and counts stay below 2^53. */
const numberIds = [types.builtins.INT8, types.builtins.NUMERIC]

/** How values of the database are read: as SQLite gives them. */
export const valueTypes: CustomTypesConfig = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    if (numberIds.includes(id)) return Number
    if (id === types.builtins.BYTEA) return readBytes
    if (id === types.builtins.JSON) return String
    return types.getTypeParser(id, format)
  },
}

function readBytes(text: string): Uint8Array {
  return Uint8Array.fromHex(text.slice(2))
}

/** A parameter as the database takes it: it has no text with U+0000, and flags are 0 and 1. */
export function toParameter(value: unknown): unknown {
  if (typeof value === 'string')
    return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  if (typeof value === 'boolean') return value ? 1 : 0
  return value
}

/** JSON escapes for what text of the database can't hold: U+0000, and halves of a character. */
const unstorable = /\\u(?:0000|d[89a-f])/i

/** Rows as one JSON parameter; what text can't hold becomes U+FFFD. */
export function toJson(rows: unknown): string {
  const text = JSON.stringify(rows)
  // Nothing else is escaped by a number so high; a backslash before it means no harm, only time.
  if (!unstorable.test(text)) return text
  return JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : value,
  )
}
