import { isJsonObject } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import { referenceId } from '../../protocols/responses/wire.ts'
import { type FieldSpan, type JsonFields, replaceRaw, stringEnd } from '../body/json-fields.ts'

// The input of a request for a response, as bytes: what is kept and what is sent are joined unread.

export interface InputBody {
  readonly bytes: Buffer
  readonly fields: Pick<JsonFields, 'spans' | 'close'>
}

/** The items of an input, as JSON text between the brackets of their list; empty: there are none. */
export function itemsOf({ bytes, fields }: InputBody): Buffer {
  const span = fields.spans.get('input')
  if (span === undefined) return nothing
  const value = bytes.subarray(span.start, span.end)
  if (value[0] === openBracket) return trimmed(value.subarray(1, -1))
  if (value[0] !== quote) return nothing
  return Buffer.concat([messageBegin, value, messageEnd])
}

export const itemsOfList = (list: readonly unknown[]): Buffer =>
  Buffer.from(JSON.stringify(list).slice(1, -1))

export function joinItems(texts: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = []
  for (const text of texts) {
    if (text.byteLength === 0) continue
    if (parts.length > 0) parts.push(comma)
    parts.push(text)
  }
  return Buffer.concat(parts)
}

/** So much is looked at in a fraction of a millisecond. */
const pieceBytes = 65_536

export function* findItems(items: Buffer): Generator<void, readonly FieldSpan[]> {
  const spans: FieldSpan[] = []
  let [depth, start, last, pauseAt] = [0, -1, -1, pieceBytes]
  for (let at = 0; at < items.length; at++) {
    if (at >= pauseAt) {
      yield
      pauseAt = at + pieceBytes
    }
    const byte = items[at] as number
    if (byte <= 0x20) continue
    if (byte === commaByte && depth === 0) {
      if (start >= 0) spans.push({ start, end: last + 1 })
      start = -1
      continue
    }
    if (start < 0) start = at
    if (byte === quote) at = stringEnd(items, at)
    else if (byte === openBracket || byte === openBrace) depth++
    else if (byte === closeBracket || byte === closeBrace) depth--
    last = at
  }
  if (start >= 0) spans.push({ start, end: last + 1 })
  return spans
}

/** The items with other texts in some of these places. */
export function replaceItems(items: Buffer, texts: ReadonlyMap<FieldSpan, string>): Buffer {
  const parts: Uint8Array[] = []
  let from = 0
  for (const [{ start, end }, text] of texts) {
    parts.push(items.subarray(from, start), Buffer.from(text))
    from = end
  }
  parts.push(items.subarray(from))
  return Buffer.concat(parts)
}

/** The body with these items as its input; `continues`: what it says then that it continues. */
export function withItems(
  { bytes, fields }: InputBody,
  items: Uint8Array,
  { continues }: { readonly continues?: string | null },
): Buffer {
  const changes = new Map([['input', Buffer.concat([listBegin, items, listEnd])]])
  if (continues !== undefined)
    changes.set('previous_response_id', Buffer.from(JSON.stringify(continues)))
  return Buffer.from(replaceRaw(bytes, fields, changes))
}

/** The items of what a response has put out, as a list. */
export function outputOf(response: JsonObject): readonly JsonObject[] {
  return Array.isArray(response.output) ? response.output.filter(isJsonObject) : []
}

/** The same without those that nothing is left of but an id, which nobody would know. */
export const continuable = (response: JsonObject): readonly JsonObject[] =>
  outputOf(response).filter((item) => referenceId(item) === undefined)

function trimmed(bytes: Buffer): Buffer {
  let [from, until] = [0, bytes.length]
  while (from < until && isSpace(bytes[from])) from++
  while (until > from && isSpace(bytes[until - 1])) until--
  return bytes.subarray(from, until)
}

const isSpace = (byte: number | undefined) => byte !== undefined && byte <= 0x20

const nothing = Buffer.alloc(0)
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const commaByte = 0x2c
const quote = 0x22
const comma = Buffer.from(',')
const listBegin = Buffer.from('[')
const listEnd = Buffer.from(']')
/** As which a string that is the whole input is read. */
const messageBegin = Buffer.from('{"role":"user","content":')
const messageEnd = Buffer.from('}')
