import type { DecodeContext, StreamDecoder } from '../canonical/codec.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import { withoutExtras } from '../canonical/extras.ts'
import type { FinishReason } from '../canonical/response.ts'
import type { Usage } from '../canonical/usage.ts'
import { decodeOpenAiError } from '../chat/errors.ts'
import { countIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { type AnswerItems, createAnswerItems } from './answer-items.ts'
import { serviceTierOf } from './decode-settings.ts'
import { tellEvent } from './item-events.ts'
import type { Blocks } from './item-reader.ts'
import { createResponsesCounts, foldResponsesUsage } from './usage.ts'

/** A decoder that also takes events that have been parsed. */
export interface ResponsesDecoder extends StreamDecoder {
  read(event: JsonObject, type: string): readonly AnswerEvent[]
}

/** Turns the events of a response into canonical ones. They go by `type`: some send no `event:`. */
export function createResponsesDecoder(context: DecodeContext): ResponsesDecoder {
  const gathering = createGathering()
  const items = createAnswerItems(gathering, context)
  const counts = createResponsesCounts()
  let usage: Usage | undefined
  let isBegun = false
  let isOver = false

  function begin(response: JsonObject | undefined): void {
    if (isBegun) return
    isBegun = true
    // xAI says 0 where it does not tell.
    const createdAt = countIn(response, 'created_at') || undefined
    const [id, model] = [stringIn(response, 'id'), stringIn(response, 'model')]
    gathering.push({ type: 'start', id, model, createdAt })
  }

  function finish(response: JsonObject, type: string): void {
    items.endAll(response)
    isOver = true
    const reason = finishReason(response, type, gathering.kinds)
    gathering.push({ type: 'finish', choice: 0, reason })
    gathering.push({ type: 'end', usage, serviceTier: serviceTierOf(response.service_tier) })
  }

  function fail(event: JsonObject): void {
    isOver = true
    gathering.push({ type: 'error', error: decodeOpenAiError(event) })
  }

  function read(event: JsonObject, type: string): readonly AnswerEvent[] {
    if (isOver || !(type === 'error' || type.startsWith('response.'))) return []
    const response = objectIn(event, 'response')
    begin(response)
    usage = withoutExtras(foldResponsesUsage(counts, response?.usage)) ?? usage
    if (type === 'error') fail(event)
    else if (type === 'response.failed') fail(response ?? event)
    else if (ends.has(type)) finish(response ?? {}, type)
    else if (response === undefined) readItemEvent(items, event, type)
    return gathering.take()
  }

  return {
    read,
    push(data, name, json) {
      const event = isOver ? undefined : (json ?? parseJsonObject(data))
      return event === undefined ? [] : read(event, stringIn(event, 'type') ?? name)
    },
    end() {
      if (!isOver && isBegun) items.endAll(undefined)
      isOver = true
      return gathering.take()
    },
  }
}

const ends = new Set(['response.completed', 'response.incomplete', 'response.cancelled'])

function readItemEvent(items: AnswerItems, event: JsonObject, type: string): void {
  const { item } = event
  if (type === 'response.output_item.added') {
    if (isJsonObject(item)) items.begin(event, item)
  } else if (type === 'response.output_item.done') {
    if (isJsonObject(item)) items.end(event, item)
  } else {
    tellEvent(items, event, type)
  }
}

/** Events on their way out, and which kinds of blocks the answer has. */
interface Gathering extends Blocks {
  readonly kinds: ReadonlySet<string>
  take(): readonly AnswerEvent[]
}

function createGathering(): Gathering {
  const kinds = new Set<string>()
  let events: AnswerEvent[] = []
  let count = 0
  return {
    kinds,
    reasoning: new Set(),
    callIds: new Set(),
    nextId: () => `${count++}`,
    push(event) {
      kinds.add(event.type)
      events.push(event)
    },
    take() {
      const taken = events
      events = []
      return taken
    },
  }
}

/** How it ended. A response with calls is `completed` like any other, and so is a refusal. */
function finishReason(
  response: JsonObject,
  type: string,
  kinds: ReadonlySet<string>,
): FinishReason {
  const reason = objectIn(response, 'incomplete_details')?.reason
  if (reason === 'max_output_tokens') return 'length'
  if (reason === 'content_filter') return 'filter'
  if (type === 'response.cancelled' || response.status === 'cancelled') return 'failed'
  if (type !== 'response.completed' || unfinished.has(response.status)) return 'other'
  if (kinds.has('tool-call-start')) return 'tool-calls'
  return kinds.has('refusal-start') ? 'refusal' : 'stop'
}

const unfinished = new Set<unknown>(['incomplete', 'in_progress', 'queued'])
