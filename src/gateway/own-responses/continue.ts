import { formatSizeBytes } from '../../lib/format.ts'
import { inSlices } from '../../lib/slices.ts'
import type { OwnResponse as ResponseLink } from '../../protocols/canonical/codec.ts'
import { arrayIn, isJsonObject, parseJsonObject } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import { ownResponseOf, referenceId } from '../../protocols/responses/wire.ts'
import { shortName } from '../admit/plan.ts'
import type { RequestBody } from '../body/body.ts'
import { type FieldSpan, type JsonFields, replaceRaw, stringEnd } from '../body/json-fields.ts'
import { GatewayError } from '../errors.ts'
import type { OwnResponses } from './own-responses.ts'

interface ContinueTask {
  readonly own: OwnResponses
  readonly accountId: number
  readonly body: RequestBody
  readonly maxBytes: number
  /** Some channel may know an id that is unknown here. */
  readonly hasNative: boolean
}

/** The body with the stored conversation in place of ids; undefined: it refers to none. */
export async function continueOwn(task: ContinueTask): Promise<Buffer | undefined> {
  const { own, body, hasNative } = task
  const { fields } = body
  if (fields === undefined || !own.isOn()) return undefined
  const previousId = previousIdIn(body)
  const before = await findBefore(task, previousId)
  const isUnknown = previousId !== null && before === undefined
  if (isUnknown && !hasNative) throw unknown(previousId, 'previous_response_id')
  const items = itemsOf({ ...body, fields })
  const whole = await findReferences(task, previousId, items)
  if (before === undefined && whole === undefined) return undefined
  const all = joinItems([...(before ?? []), whole ?? items])
  if (all.byteLength > task.maxBytes) throw tooLarge(task)
  return withItems({ ...body, fields }, all, before ? { continues: null } : {})
}

export function previousIdIn({
  bytes,
  fields,
}: Pick<RequestBody, 'bytes'> & { readonly fields: Pick<JsonFields, 'spans'> | undefined }) {
  const { start, end } = fields?.spans.get('previous_response_id') ?? { start: 0, end: 0 }
  if (end - start > longestId) return null
  const text = `{"id":${bytes.toString('utf8', start, end) || 'null'}}`
  const id = parseJsonObject(text)?.id
  return typeof id === 'string' && id !== '' ? id : null
}
const longestId = 1_024

/** The conversation so far. */
async function findBefore(
  { own, accountId }: ContinueTask,
  id: string | null,
): Promise<readonly Uint8Array[] | undefined> {
  if (id === null || ownResponseOf(id) !== id) return undefined
  const found = await own.find(accountId, id)
  if (found === undefined) return undefined
  const response = parseJsonObject(new TextDecoder().decode(found.response))
  return [found.input, itemsOfList(continuable(response ?? {}))]
}

/** Longer items are sent whole. */
const longestReference = 2_048

function* referencesIn(items: Buffer): Generator<void, ReadonlyMap<FieldSpan, string>> {
  const found = new Map<FieldSpan, string>()
  let looked = 0
  for (const span of yield* findItems(items)) {
    if (span.end - span.start > longestReference) continue
    if (++looked % 256 === 0) yield
    const item = parseJsonObject(items.toString('utf8', span.start, span.end))
    const id = item && referenceId(item)
    if (id !== undefined) found.set(span, id)
  }
  return found
}

/** The items with references replaced; undefined: it has none. */
async function findReferences(
  task: ContinueTask,
  previousId: string | null,
  items: Buffer,
): Promise<Buffer | undefined> {
  if (task.body.facts.continues.every((id) => id === previousId)) return undefined
  const asked = await inSlices(referencesIn(items))
  const known = await findKept(task, new Set(asked.values()))
  const texts = new Map<FieldSpan, string>()
  let left = task.maxBytes - items.byteLength
  for (const [span, id] of asked) {
    const text = known.get(id)
    if (text === undefined && !task.hasNative) throw unknown(id, 'input')
    if (text === undefined) continue
    left -= text.length
    if (left < 0) throw tooLarge(task)
    texts.set(span, text)
  }
  return texts.size === 0 ? undefined : replaceItems(items, texts)
}

const readAtOnce = 16

/** Stored items by their ids, as JSON text; reads at most the size of a body. */
async function findKept(
  task: ContinueTask,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const { own, accountId } = task
  const ids = new Set([...wanted].flatMap((id) => ownResponseOf(id) ?? []))
  const texts = new Map<string, string>()
  let left = task.maxBytes
  for (const some of inGroups([...ids], readAtOnce)) {
    for await (const json of own.findResponses(accountId, some)) {
      left -= json.byteLength
      if (left < 0) throw tooLarge(task)
      const response = parseJsonObject(new TextDecoder().decode(json)) ?? {}
      for (const item of continuable(response)) {
        const id = String(item.id)
        if (wanted.has(id)) texts.set(id, JSON.stringify(item))
      }
    }
  }
  return texts
}

function* inGroups<Value>(values: readonly Value[], size: number): Generator<readonly Value[]> {
  for (let from = 0; from < values.length; from += size) yield values.slice(from, from + size)
}

/** The words by which a vendor's SDK knows that it must send the whole conversation again. */
const unknown = (id: string, param: string) =>
  new GatewayError(
    'previous_response_not_found',
    `"${shortName(id)}" is not known to this account (any more). Send the whole conversation instead.`,
    { param },
  )

const tooLarge = ({ maxBytes }: ContinueTask) =>
  new GatewayError(
    'body_too_large',
    `The conversation that is continued is larger than ${formatSizeBytes(maxBytes)}, the limit here. ` +
      'Begin a new one.',
  )

export interface Keeping extends ResponseLink {
  /** Resolves when the answer is charged and may be kept; undefined: at once. Never rejects. */
  settled(): Promise<void> | undefined
}

/** Keeps a translated answer once it is whole and charged, unless it failed or `store` is false. */
export function createKeeping(
  own: OwnResponses,
  accountId: number,
  body: RequestBody,
  previousId: string | null,
): Keeping {
  const { fields } = body
  if (fields === undefined || saysNo(body) || !own.isOn()) return notKept(previousId)
  const input = itemsOf({ ...body, fields })
  if (!own.takes(input.byteLength)) return notKept(previousId)
  let made: JsonObject | undefined
  let isSettled = false

  const keep = () => {
    if (made === undefined || !isSettled) return undefined
    const response = Buffer.from(JSON.stringify(made))
    return own.keep(accountId, { id: String(made.id), input, response })
  }
  return {
    previousId,
    keep(response) {
      if (response.status === 'failed') return
      made = response
      void keep()
    },
    settled() {
      isSettled = true
      return keep()
    },
  }
}

const notKept = (previousId: string | null): Keeping => ({
  previousId,
  keep: undefined,
  settled: () => undefined,
})

function saysNo({ bytes, fields }: RequestBody): boolean {
  const { start, end } = fields?.spans.get('store') ?? { start: 0, end: 0 }
  return end - start === no.length && bytes.toString('utf8', start, end) === no
}
const no = 'false'

// The input of a request for a response, as bytes: stored and sent items are joined unparsed.

export interface InputBody {
  readonly bytes: Buffer
  readonly fields: Pick<JsonFields, 'spans' | 'close'>
}

/** The items of an input, as JSON text without the brackets of the list. */
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

/** The items with some of them replaced. */
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

/** The body with these items as its input; `continues`: its new `previous_response_id`. */
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

/** The output without items that consist only of an id, which no upstream would know. */
export const continuable = (response: JsonObject): readonly JsonObject[] =>
  arrayIn(response, 'output')
    .filter(isJsonObject)
    .filter((item) => referenceId(item) === undefined)

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
/** A string as the whole input is read as this message. */
const messageBegin = Buffer.from('{"role":"user","content":')
const messageEnd = Buffer.from('}')
