import type {
  AnswerEvent,
  AnswerPart,
  CanonicalResponse,
  EventOf,
  Finish,
  FinishReason,
  StartEvent,
} from '../canonical/answer.ts'
import { type BlockEvent, createBlockOrder } from '../canonical/block-order.ts'
import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type { Citation, SearchPart, ToolKind } from '../canonical/request.ts'
import { reportedUsage } from '../canonical/usage.ts'
import { meanings } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeInput } from './encode-request.ts'
import { encodeMessagesStreamError } from './errors.ts'
import {
  encodeCitation,
  encodeSearchBlocks,
  foreignSearchIdOf,
  searchCount,
  searchUsage,
} from './search.ts'
import { encodeMessagesUsage, encodeServiceTier } from './usage.ts'

/** The head of a message. An upstream id of this protocol is kept (T19). */
export function messageHead(id: string | undefined, context: EncodeContext): JsonObject {
  return {
    id: id?.startsWith('msg_') ? id : `msg_${context.requestId}`,
    type: 'message',
    role: 'assistant',
    model: context.model,
  }
}

/** A whole message. The protocol has one choice: only the first is written. */
export function encodeResponse(response: CanonicalResponse, context: EncodeContext): JsonObject {
  const { error, usage, serviceTier } = response
  if (error !== undefined) {
    const wire = { type: 'api_error', message: error.message }
    return { type: 'error', error: wire, request_id: context.requestId }
  }
  const choice = response.choices.find(({ index }) => index === 0)
  const parts = choice?.parts ?? []
  const finish = choice?.finish ?? { reason: 'other' }
  const has = (type: AnswerPart['type']) => parts.some((part) => part.type === type)
  let blocks = 0
  const nextId = () => foreignSearchIdOf(context.requestId, blocks++)
  const counts = parts.map((part) => (part.type === 'search' ? searchCount(part) : 0))
  const searches = counts.reduce((sum, count) => sum + count, 0)
  return {
    ...messageHead(response.id, context),
    content: parts.flatMap((part) =>
      part.type === 'search' ? encodeSearchBlocks(part, nextId) : encodeAnswerPart(part),
    ),
    ...encodeStop(finish, { calls: has('tool-call'), refusal: has('refusal') }),
    stop_details: null,
    usage: {
      ...encodeMessagesUsage(reportedUsage(usage, context)),
      server_tool_use: searchUsage(searches) ?? null,
      service_tier: encodeServiceTier(serviceTier),
    },
  }
}

function encodeAnswerPart(part: Exclude<AnswerPart, SearchPart>): readonly JsonObject[] {
  switch (part.type) {
    case 'text': {
      const { text } = part
      const citations = part.citations?.flatMap(encodeCitation) ?? []
      if (text === '' && citations.length === 0) return []
      return [{ type: 'text', text, ...(citations.length === 0 ? {} : { citations }) }]
    }
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'reasoning': {
      const { text, signature, isRedacted } = part
      if (text === '' && signature === undefined) return []
      if (isRedacted && text === '') return [{ type: 'redacted_thinking', data: signature }]
      return [{ type: 'thinking', thinking: text, signature: signature ?? '' }]
    }
    case 'tool-call':
      return [{ type: 'tool_use', id: part.callId, name: part.name, input: encodeInput(part) }]
    case 'image':
      return []
  }
}

/** Decodes a `stop_reason`. Source: the SDK's `BetaStopReason`. */
export function decodeStopReason(wire: string): FinishReason {
  return reasons.get(wire) ?? 'other'
}

const reasons = meanings<FinishReason>({
  stop: 'end_turn stop_sequence',
  length: 'max_tokens model_context_window_exceeded',
  'tool-calls': 'tool_use',
  // `compaction`: paused so that the client can read the summary.
  pause: 'pause_turn compaction',
  refusal: 'refusal',
})

type Held = Readonly<Record<'calls' | 'refusal', boolean>>

function encodeStop(finish: Finish, held: Held) {
  const stop_reason = encodeStopReason(finish, held)
  const isSequence = stop_reason === 'stop_sequence'
  return { stop_reason, stop_sequence: (isSequence ? finish.stopSequence : undefined) ?? null }
}

/** The `stop_reason` of an answer. A broken answer counts as limited. */
function encodeStopReason({ reason, stopSequence }: Finish, held: Held): string {
  switch (reason) {
    case 'length':
    case 'failed':
      return 'max_tokens'
    case 'pause':
      return 'pause_turn'
    case 'refusal':
    case 'filter':
      return 'refusal'
    case 'tool-calls':
      return 'tool_use'
    case 'stop':
    case 'other':
      if (held.calls) return 'tool_use'
      if (held.refusal) return 'refusal'
      return stopSequence === undefined ? 'end_turn' : 'stop_sequence'
  }
}

/** Encodes a streamed message, one block at a time. An `error` event writes nothing: `fail` does. */
export function createEncoder(context: EncodeContext): StreamEncoder {
  const blocks = createBlockWriter(context.requestId)
  const order = createBlockOrder(blocks.write)
  // T18: clients show this estimate long before the upstream reports usage.
  let usage = reportedUsage(undefined, context)
  let finish: Finish = { reason: 'other' }
  let isStarted = false
  let isOver = false

  /** T2: once, whatever comes first. */
  function start(event?: StartEvent): string {
    if (isStarted) return ''
    isStarted = true
    usage = event?.usage ?? usage
    const message = {
      ...messageHead(event?.id, context),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: { ...encodeMessagesUsage(usage), server_tool_use: null, service_tier: null },
    }
    return frame('message_start', `"message":${JSON.stringify(message)}`)
  }

  function end(event: EventOf<'end'>): string {
    // Decoders close their blocks; an open one must not break the end.
    const frames = order.end()
    isOver = true
    const tier = encodeServiceTier(event.serviceTier)
    const searched = searchUsage(blocks.searches())
    const delta = { ...encodeStop(finish, blocks.held), stop_details: null }
    const told = {
      ...encodeMessagesUsage(event.usage ?? usage),
      ...(searched && { server_tool_use: searched }),
      ...(tier !== null && { service_tier: tier }),
    }
    const members = `"delta":${JSON.stringify(delta)},"usage":${JSON.stringify(told)}`
    return frames + frame('message_delta', members) + frame('message_stop', '')
  }

  function write(event: Exclude<AnswerEvent, StartEvent>): string {
    switch (event.type) {
      case 'finish':
        if (event.choice === 0) finish = event
        return ''
      case 'end':
        return end(event)
      case 'image':
      case 'error':
        return ''
      default:
        // Blocks of other choices were never begun, and are not written.
        return 'choice' in event && event.choice !== 0 ? '' : order.push(event)
    }
  }

  return {
    push(event) {
      if (isOver || event.type === 'error') return ''
      return event.type === 'start' ? start(event) : start() + write(event)
    },
    fail(error) {
      if (isOver) return ''
      isOver = true
      return encodeMessagesStreamError(error)
    },
  }
}

/** Encodes the content blocks of one answer, one at a time, with consecutive indexes (T12). */
function createBlockWriter(requestId: string) {
  const held = { calls: false, refusal: false }
  let index = -1
  let deltaHead = ''
  let isOpen = false
  let kind: ToolKind = 'function'
  let searches = 0
  let searchBlocks = 0

  function open(block: string): string {
    isOpen = true
    index++
    deltaHead = frameHead('content_block_delta', `,"index":${index},"delta":{`)
    return frame('content_block_start', `"index":${index},"content_block":${block}`)
  }

  /** A block opens with its first content: vendors reject an empty one later. */
  const ensureOpen = (block: string): string => (isOpen ? '' : open(block))

  const delta = (members: string): string => `${deltaHead}${members}}}\n\n`

  const inputDelta = (json: string): string =>
    delta(`"type":"input_json_delta","partial_json":${JSON.stringify(json)}`)

  function close(): string {
    if (!isOpen) return ''
    isOpen = false
    return frame('content_block_stop', `"index":${index}`)
  }

  function citationDeltas(citations: readonly Citation[]): string {
    let frames = ''
    for (const citation of citations.flatMap(encodeCitation)) {
      const json = toJsonText(citation)
      if (json === undefined) continue
      frames += ensureOpen(emptyText) + delta(`"type":"citations_delta","citation":${json}`)
    }
    return frames
  }

  /** The signature comes last, in one piece (T8). Reasoning without text and signature is dropped. */
  function endReasoning(signature: string | undefined, isRedacted: boolean | undefined): string {
    if (signature === undefined) return close()
    const json = JSON.stringify(signature)
    if (isRedacted && !isOpen) return open(`{"type":"redacted_thinking","data":${json}}`) + close()
    return (
      ensureOpen(emptyThinking) + delta(`"type":"signature_delta","signature":${json}`) + close()
    )
  }

  /** The query streams as the vendor's do; the result comes with the start of its block. */
  function writeSearch(search: SearchPart): string {
    searches += searchCount(search)
    let frames = ''
    const nextId = () => foreignSearchIdOf(requestId, searchBlocks++)
    for (const block of encodeSearchBlocks(search, nextId)) {
      const { input, ...rest } = block
      const isUse = input !== undefined
      frames += open(JSON.stringify(isUse ? { ...rest, input: {} } : block))
      if (isUse) frames += inputDelta(JSON.stringify(input))
      frames += close()
    }
    return frames
  }

  function write(event: BlockEvent): string {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'search-start':
        return ''
      case 'refusal-start':
        held.refusal = true
        return ''
      case 'text-delta':
      case 'refusal-delta':
        if (event.text === '') return ''
        return (
          ensureOpen(emptyText) + delta(`"type":"text_delta","text":${JSON.stringify(event.text)}`)
        )
      case 'text-end':
        return (event.citations ? citationDeltas(event.citations) : '') + close()
      case 'refusal-end':
        return close()
      case 'reasoning-delta':
        if (event.text === '') return ''
        return (
          ensureOpen(emptyThinking) +
          delta(`"type":"thinking_delta","thinking":${JSON.stringify(event.text)}`)
        )
      case 'reasoning-end':
        return endReasoning(event.signature, event.isRedacted)
      case 'tool-call-start': {
        held.calls = true
        kind = event.kind
        const [id, name] = [JSON.stringify(event.callId), JSON.stringify(event.name)]
        const start = open(`{"type":"tool_use","id":${id},"name":${name},"input":{}}`)
        return kind === 'custom' ? start + inputDelta('{"input":"') : start
      }
      case 'tool-call-delta':
        if (event.text === '') return ''
        // A custom tool's text becomes a JSON string, piece by piece.
        return inputDelta(kind === 'custom' ? JSON.stringify(event.text).slice(1, -1) : event.text)
      case 'tool-call-end':
        return (kind === 'custom' ? inputDelta('"}') : '') + close()
      case 'search-end':
        return writeSearch(event.search)
    }
  }

  return { write, held, searches: () => searches }
}

const emptyText = '{"type":"text","text":""}'
const emptyThinking = '{"type":"thinking","thinking":"","signature":""}'

const frameHead = (type: string, members: string): string =>
  `event: ${type}\ndata: {"type":"${type}"${members}`

const frame = (type: string, members: string): string =>
  `${frameHead(type, members === '' ? '' : `,${members}`)}}\n\n`
