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

/** A title and its value on one line each, the values below one another. */
export function formatPairs(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const widest = Math.max(...pairs.map(([title]) => width(title)))
  return pairs.map(([title, value]) =>
    `${pad(title, widest, false)}  ${printable(value)}`.trimEnd(),
  )
}

/** Names come from people: control characters in them must not steer the terminal. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))

const width = (text: string | undefined) => Bun.stringWidth(text ?? '')

function pad(text: string, to: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, to - width(text)))
  return right ? space + text : text + space
}
