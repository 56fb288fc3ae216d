// An error is told to the write that it belongs to; told here alone, it would end the process.
process.stdout.on('error', () => {})

/** Writes to stdout and waits until it is taken. Rejects with EPIPE when the reader has gone. */
export function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Writes lines to stdout. */
export const writeLines = (lines: readonly string[]): Promise<void> =>
  write(lines.map((line) => `${line}\n`).join(''))

/** Writes one JSON document to stdout. */
export const writeJson = (value: unknown): Promise<void> =>
  write(`${JSON.stringify(value, null, 2)}\n`)

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  /** Numbers stand at the right. */
  readonly right?: boolean
}

/** Columns two spaces apart; full-width characters count as the two cells that they take. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): readonly string[] {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ text }) => printable(text(row)))),
  ]
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => width(line[i]))))
  return cells.map((line) =>
    line
      .map((cell, i) => pad(cell, widths[i] ?? 0, columns[i]?.right ?? false))
      .join('  ')
      .trimEnd(),
  )
}

const width = (text: string | undefined) => Bun.stringWidth(text ?? '')

function pad(text: string, to: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, to - width(text)))
  return right ? space + text : text + space
}

/** Names come from people: control characters in them must not steer the terminal. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))

/** A title and its value on one line each, the values below one another. */
export function formatPairs(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const widest = Math.max(...pairs.map(([title]) => width(title)))
  return pairs.map(([title, value]) =>
    `${pad(title, widest, false)}  ${printable(value)}`.trimEnd(),
  )
}

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
