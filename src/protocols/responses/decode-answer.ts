import type { AnswerEvent, CanonicalResponse, FinishReason } from '../canonical/answer.ts'
import type { DecodeContext } from '../canonical/codec.ts'
import { foldEvents } from '../canonical/fold.ts'
import { decodeLogprobs } from '../chat/answer-fields.ts'
import { decodeOpenAiError } from '../chat/errors.ts'
import { arrayIn, countIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { callInput, serviceTierOf } from './decode-request.ts'
import {
  Blocks,
  createItemReader,
  type ItemReader,
  type ItemType,
  itemType,
  type TextPiece,
  wholePart,
} from './item-readers.ts'
import { responsesReports } from './usage.ts'

/** Decodes a whole answer, as a stream with only its last event. */
export function decodeResponse(body: JsonObject, context: DecodeContext): CanonicalResponse {
  const hasFailed = body.status === 'failed' || isJsonObject(body.error)
  const type = hasFailed ? 'response.failed' : 'response.completed'
  return foldEvents(createDecoder(context).read({ type, response: body }, type))
}

/** Decodes the events of a response by `type`: some upstreams send no `event:`. */
export function createDecoder(context: DecodeContext) {
  const blocks = new Blocks(context.requestId, responsesReports)
  const items = createAnswerItems(blocks, context)

  function begin(response: JsonObject | undefined): void {
    // xAI writes 0 for an unknown time.
    const createdAt = countIn(response, 'created_at') || undefined
    blocks.start({ id: stringIn(response, 'id'), model: stringIn(response, 'model'), createdAt })
  }

  function finish(response: JsonObject, type: string): void {
    items.endAll(response)
    const reason = finishReason(response, type, blocks.kinds)
    blocks.push({ type: 'finish', choice: 0, reason })
    blocks.serviceTier = serviceTierOf(response.service_tier)
    blocks.end()
  }

  function read(event: JsonObject, type: string): readonly AnswerEvent[] {
    if (blocks.isOver || !(type === 'error' || type.startsWith('response.'))) return []
    const response = objectIn(event, 'response')
    if (!blocks.isStarted) begin(response)
    blocks.noteUsage(response?.usage)
    if (type === 'error') blocks.fail(decodeOpenAiError(event))
    else if (type === 'response.failed') blocks.fail(decodeOpenAiError(response ?? event))
    else if (ends.has(type)) finish(response ?? {}, type)
    else if (response === undefined) readItemEvent(items, event, type)
    return blocks.take()
  }

  return {
    read,
    push(data: string, name: string, json?: JsonObject): readonly AnswerEvent[] {
      const event = blocks.isOver ? undefined : (json ?? parseJsonObject(data))
      return event === undefined ? [] : read(event, stringIn(event, 'type') ?? name)
    },
    end(): readonly AnswerEvent[] {
      if (!blocks.isOver && blocks.isStarted) items.endAll(undefined)
      blocks.isOver = true
      return blocks.take()
    },
  }
}

const ends = new Set(['response.completed', 'response.incomplete', 'response.cancelled'])

function finishReason(response: JsonObject, type: string, kinds: Set<string>): FinishReason {
  const reason = objectIn(response, 'incomplete_details')?.reason
  if (reason === 'max_output_tokens') return 'length'
  if (reason === 'content_filter') return 'filter'
  if (type === 'response.cancelled' || response.status === 'cancelled') return 'failed'
  if (type !== 'response.completed' || unfinished.has(response.status)) return 'other'
  if (kinds.has('tool-call-start')) return 'tool-calls'
  return kinds.has('refusal-start') ? 'refusal' : 'stop'
}

const unfinished = new Set<unknown>(['incomplete', 'in_progress', 'queued'])

interface Entry {
  readonly type: ItemType
  readonly reader: ItemReader
  isBegun: boolean
  isEnded: boolean
}

type AnswerItems = ReturnType<typeof createAnswerItems>

function createAnswerItems(blocks: Blocks, context: DecodeContext) {
  const entries: Entry[] = []
  const byId = new Map<string, Entry>()
  const byPlace = new Map<string, Entry>()

  function add(type: ItemType): Entry {
    const reader = createItemReader(type, blocks, context)
    const entry: Entry = { type, reader, isBegun: false, isEnded: false }
    entries.push(entry)
    return entry
  }
  /** The item of an event by id, or by position (GitHub Copilot changes ids) if the item there is `fit`. */
  function find(event: JsonObject, type: ItemType, fit: (entry: Entry) => boolean): Entry {
    const { output_index: index, item } = event
    const id = stringIn(event, 'item_id') ?? (isJsonObject(item) ? stringIn(item, 'id') : undefined)
    const known = id === undefined ? undefined : byId.get(`${type} ${id}`)
    if (known !== undefined) return known
    const place = `${type} ${typeof index === 'number' ? index : (id ?? '')}`
    const there = byPlace.get(place)
    const entry = there !== undefined && fit(there) ? there : add(type)
    if (id !== undefined && (entry !== there || item !== undefined))
      byId.set(`${type} ${id}`, entry)
    byPlace.set(place, entry)
    return entry
  }
  function end(entry: Entry, item: JsonObject | undefined): void {
    if (entry.isEnded) return
    entry.isEnded = true
    entry.reader.end(item)
  }

  return {
    at: (event: JsonObject, type: ItemType) => find(event, type, () => true).reader,
    begin(event: JsonObject, item: JsonObject): void {
      const type = itemType(item)
      if (type === undefined) return
      const entry = find(event, type, ({ isBegun, isEnded }) => !isBegun && !isEnded)
      entry.isBegun = true
      entry.reader.begin?.(item)
    },
    end(event: JsonObject, item: JsonObject): void {
      const type = itemType(item)
      const isOpen = ({ isEnded }: Entry) => !isEnded
      if (type !== undefined) end(find(event, type, isOpen), item)
    },
    /** Reads from the whole answer what no event contained, and ends open items. */
    endAll(response: JsonObject | undefined): void {
      const known = Map.groupBy(entries, ({ type }) => type)
      const places = new Map<ItemType, number>()
      for (const item of arrayIn(response, 'output')) {
        const type = isJsonObject(item) ? itemType(item) : undefined
        if (type === undefined || !isJsonObject(item)) continue
        // Neither ids nor positions are reliable here: items match by order within their type.
        const place = places.get(type) ?? 0
        places.set(type, place + 1)
        end(known.get(type)?.[place] ?? add(type), item)
      }
      for (const entry of entries) end(entry, undefined)
    },
  }
}

type TextEvent = ReturnType<typeof textEventsOf>[number][1]

const textEventsOf = (name: string, item: ItemType, kind: TextPiece['kind'], field: string) =>
  [
    [`response.${name}.delta`, { item, kind, field: 'delta', isWhole: false }],
    [`response.${name}.done`, { item, kind, field, isWhole: true }],
  ] as const

/** Events with a part's text. Source: OpenAI's API reference, streaming events of responses. */
const textEvents = new Map<string, TextEvent>([
  ...textEventsOf('output_text', 'message', 'text', 'text'),
  ...textEventsOf('refusal', 'message', 'refusal', 'refusal'),
  ...textEventsOf('reasoning_summary_text', 'reasoning', 'summary', 'text'),
  ...textEventsOf('reasoning_text', 'reasoning', 'content', 'text'),
  ...textEventsOf('function_call_arguments', 'function_call', 'input', 'arguments'),
  ...textEventsOf('custom_tool_call_input', 'custom_tool_call', 'input', 'input'),
])

/** Passes an item's event to its reader. Unknown types are ignored. */
function readItemEvent(items: AnswerItems, event: JsonObject, type: string) {
  const source = textEvents.get(type)
  if (source !== undefined) return addText(items, event, source)
  const { item } = event
  switch (type) {
    case 'response.output_item.added':
      if (isJsonObject(item)) items.begin(event, item)
      break
    case 'response.output_item.done':
      if (isJsonObject(item)) items.end(event, item)
      break
    case 'response.output_text.annotation.added': {
      const annotation = objectIn(event, 'annotation')
      const index = indexIn(event, 'content_index')
      if (annotation) items.at(event, 'message').cite?.(index, [annotation])
      break
    }
    case 'response.content_part.done':
      addPart(items, event)
      break
    case 'response.reasoning_summary_part.done': {
      const text = stringIn(objectIn(event, 'part'), 'text')
      const index = indexIn(event, 'summary_index')
      if (text === undefined) return
      items.at(event, 'reasoning').add?.({ kind: 'summary', index, isWhole: true, text })
    }
  }
}

function addText(items: AnswerItems, event: JsonObject, source: TextEvent): void {
  const { item, kind, field, isWhole } = source
  const value = event[field]
  // Arguments may be an object instead of text.
  const text =
    isJsonObject(value) && item === 'function_call' ? callInput(value, 'function') : value
  if (typeof text !== 'string') return
  const index = indexIn(event, kind === 'summary' ? 'summary_index' : 'content_index')
  const logprobs = kind === 'text' ? decodeLogprobs(arrayIn(event, 'logprobs')) : undefined
  items.at(event, item).add?.({ kind, text, index, isWhole, logprobs })
}

function addPart(items: AnswerItems, event: JsonObject): void {
  const part = objectIn(event, 'part')
  const index = indexIn(event, 'content_index')
  const piece = part && wholePart(part, index)
  if (piece === undefined) return
  if (part?.type === 'reasoning_text') {
    items.at(event, 'reasoning').add?.({ ...piece, kind: 'content' })
    return
  }
  const message = items.at(event, 'message')
  message.add?.(piece)
  message.cite?.(index, arrayIn(part, 'annotations').filter(isJsonObject))
}

const indexIn = (event: JsonObject, key: string): number =>
  typeof event[key] === 'number' ? event[key] : 0
