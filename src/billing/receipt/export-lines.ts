import { type Cell, type Fields, viewOf } from './fields.ts'

/** One JSON object a line, or comma-separated values with a line of names. */
export const exportFormats = ['jsonl', 'csv'] as const
/** One of `exportFormats`. */
export type ExportFormat = (typeof exportFormats)[number]

interface Form {
  readonly format: ExportFormat
}

/**
 * The lines of an export, one row at a time, each with its line end. CSV begins with a line of
 * names; null is empty, an empty text is `""`. A text that a spreadsheet would take for a formula
 * begins with an apostrophe there.
 */
export async function* exportLines<Row>(
  rows: AsyncIterable<Row>,
  fields: Fields<Row>,
  { format }: Form,
): AsyncGenerator<string> {
  if (format === 'jsonl') {
    for await (const row of rows) yield `${JSON.stringify(viewOf(fields, row))}\n`
    return
  }
  const readers = Object.values(fields)
  yield `${Object.keys(fields).join(',')}\n`
  for await (const row of rows)
    yield `${readers.map((read) => csvCell(guarded(read(row)))).join(',')}\n`
}

/** One value in the form of RFC 4180. */
function csvCell(value: Cell): string {
  if (value === null) return ''
  const text = String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** What begins a formula; in East Asian settings the wide forms do, too. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** Numbers stay numbers, negative ones too. */
const guarded = (value: Cell): Cell =>
  typeof value === 'string' && formula.test(value) ? `'${value}` : value
