import { type Column, formatTable, harmless } from '../lib/table.ts'

// An error is told to the write that it belongs to; told here alone, it would end the process.
process.stdout.on('error', () => {})

/** Writes to stdout what steers no terminal, and waits until it is taken. Rejects with EPIPE when the reader has gone. */
export function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(harmless(text), (error) => (error ? reject(error) : resolve()))
  })
}

/** Writes lines to stdout. */
export const writeLines = (lines: readonly string[]): Promise<void> =>
  write(lines.map((line) => `${line}\n`).join(''))

/** Writes one JSON document to stdout. */
export const writeJson = (value: unknown): Promise<void> =>
  write(`${JSON.stringify(value, null, 2)}\n`)

/** Writes a list: a table for people, an array for machines. */
export async function writeList<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: { readonly json?: boolean | undefined; readonly none: string },
): Promise<void> {
  if (options.json) return writeJson(rows)
  if (rows.length === 0) return writeLines([options.none])
  return writeLines(formatTable(columns, rows))
}
