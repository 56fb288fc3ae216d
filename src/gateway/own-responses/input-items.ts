import { isJsonObject } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import { referenceId } from '../../protocols/responses/item-ids.ts'
import { membersOf } from '../cut-members.ts'
import { type JsonFields, replaceRaw } from '../json-fields.ts'

// The input of a request for a response, as bytes: what is kept and what is sent anew are joined without
// being read, so that each turn begins with the bytes of the one before.

interface InputBody {
  readonly bytes: Buffer
  readonly fields: JsonFields
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

/** The items of a list of values, likewise. */
export const itemsOfList = (list: readonly unknown[]): Buffer =>
  Buffer.from(JSON.stringify(list).slice(1, -1))

/** Several such texts as one. */
export function joinItems(texts: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = []
  for (const text of texts) {
    if (text.byteLength === 0) continue
    if (parts.length > 0) parts.push(comma)
    parts.push(text)
  }
  return Buffer.concat(parts)
}

/** The items with some of them replaced, by their places. */
export function replaceItems(items: Buffer, texts: ReadonlyMap<number, string>): Buffer {
  const parts: Uint8Array[] = []
  const list = Buffer.concat([listBegin, items, listEnd])
  let from = 1
  for (const [place, { start, end }] of membersOf(list, 0).entries()) {
    const text = texts.get(place)
    if (text === undefined) continue
    parts.push(list.subarray(from, start), Buffer.from(text))
    from = end
  }
  parts.push(list.subarray(from, -1))
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
const quote = 0x22
const comma = Buffer.from(',')
const listBegin = Buffer.from('[')
const listEnd = Buffer.from(']')
/** As which a string that is the whole input is read. */
const messageBegin = Buffer.from('{"role":"user","content":')
const messageEnd = Buffer.from('}')
