/*
 * Rows as text that the database reads as arrays of a composite type (`rowTypes`): `{"(1,abc)","(2,)"}`.
 */

type Row = Readonly<Record<string, unknown>>

/** Writes rows of these fields, in this order. */
export function createRowText(names: readonly string[]): (rows: readonly object[]) => string {
  return (rows) => {
    let text = '{'
    for (const row of rows) {
      if (text !== '{') text += ','
      let body = ''
      for (const name of names) body += `,${valueText((row as Row)[name])}`
      text += `"(${escaped(body.slice(1))})"`
    }
    return `${text}}`
  }
}

/** Numbers, flags and texts; nothing is NULL. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number') return String(value)
  const text = String(value)
  return text === '' || special.test(text) ? `"${escaped(text)}"` : text
}

const special = /[\s"\\(),]/
const escapable = /["\\]/g
const escaped = (text: string) => text.replace(escapable, '\\$&')
