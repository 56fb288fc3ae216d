import { type Column, formatTable, harmless } from '../lib/table.ts'

// Each write reports its own error; without a listener it would end the process.
process.stdout.on('error', () => {})

/**
 * Writes sanitised text to stdout and waits until it is taken. Rejects with EPIPE when the reader has
 * exited.
 */
export function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(harmless(text), (error) => (error ? reject(error) : resolve()))
  })
}

export const writeLines = (lines: readonly string[]): Promise<void> =>
  write(lines.map((line) => `${line}\n`).join(''))

export const writeJson = (value: unknown): Promise<void> =>
  write(`${JSON.stringify(value, null, 2)}\n`)

/** Writes a list: a table for people, or a JSON array. */
export async function writeList<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: { readonly json?: boolean | undefined; readonly none: string },
): Promise<void> {
  if (options.json) return writeJson(rows)
  if (rows.length === 0) return writeLines([options.none])
  return writeLines(formatTable(columns, rows))
}
