export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  readonly right?: boolean
}

/** Columns two spaces apart; full-width characters count as two cells. */
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

/** A title and its value per line, values aligned. */
export function formatPairs(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const widest = Math.max(...pairs.map(([title]) => width(title)))
  return pairs.map(([title, value]) =>
    `${pad(title, widest, false)}  ${printable(value)}`.trimEnd(),
  )
}

/** Names are user input: escapes control characters and line breaks. */
export const printable = (text: string): string =>
  harmless(text).replace(/[\n\t]/g, (control) => JSON.stringify(control).slice(1, -1))

/**
 * Escapes, as JSON does, control characters, direction marks and unusual line breaks of a text of several lines,
 * so that it cannot steer the terminal.
 */
export const harmless = (text: string): string =>
  text.replace(
    /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (sign) => shortEscapes[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const shortEscapes: Readonly<Record<string, string>> = { '\r': '\\r', '\b': '\\b', '\f': '\\f' }

const width = (text: string | undefined) => Bun.stringWidth(text ?? '')

function pad(text: string, to: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, to - width(text)))
  return right ? space + text : text + space
}
