import type { CanonicalResponse, Finish } from '../canonical/answer.ts'
import type { DecodeContext, StreamDecoder } from '../canonical/codec.ts'
import { foldEvents } from '../canonical/fold.ts'
import { embedJson, toJsonText } from '../canonical/json-text.ts'
import type { CanonicalRequest, Citation } from '../canonical/request.ts'
import { EventSink } from '../canonical/sink.ts'
import { toolNamed } from '../canonical/tools.ts'
import { arrayIn, countIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeStopReason } from './encode-answer.ts'
import { decodeMessagesError } from './errors.ts'
import {
  decodeCitation,
  decodeCitations,
  decodeSearchResult,
  isSearchUse,
  queryIn,
} from './search.ts'
import { decodeServiceTier, messagesReports } from './usage.ts'

/** Decodes a whole message as the equivalent stream, so that both give the same result. */
export function decodeResponse(body: JsonObject, context: DecodeContext): CanonicalResponse {
  if (body.type === 'error') return { choices: [], error: decodeMessagesError(body) }
  const sink = new EventSink(context.requestId, messagesReports)
  const { read } = createEventReader(context, sink)
  read('message_start', { message: body })
  for (const [index, block] of arrayIn(body, 'content').entries()) {
    read('content_block_start', { index, content_block: isJsonObject(block) ? block : undefined })
    read('content_block_stop', { index })
  }
  read('message_delta', { delta: body })
  read('message_stop', {})
  return foldEvents(sink.take())
}

/** Decodes a streamed message. An error before anything else comes without a `start`. */
export function createDecoder(context: DecodeContext): StreamDecoder {
  const sink = new EventSink(context.requestId, messagesReports)
  const reader = createEventReader(context, sink)
  return {
    push(data, name, json) {
      const event = json ?? parseJsonObject(data)
      if (event !== undefined) reader.read(stringIn(event, 'type') ?? name, event)
      else if (name === 'error') sink.fail(decodeMessagesError({ error: data }))
      return sink.take()
    },
    end() {
      reader.end()
      return sink.take()
    },
  }
}

/** Converts parsed stream events. Ignores what follows the end or an error. */
function createEventReader({ request }: DecodeContext, sink: EventSink) {
  const blocks = createBlockReader(request, sink)
  let finish: Finish | undefined

  /** T2: a repeated start counts once; in the middle of an answer it is an error. */
  function start(message?: JsonObject) {
    if (sink.isStarted && blocks.hasBegun()) {
      return sink.fail({ message: 'The upstream began another answer within its answer.' })
    }
    noteUsage(message?.usage)
    finish = finishOf(message) ?? finish
    const [id, model] = [stringIn(message, 'id'), stringIn(message, 'model')]
    sink.start({ id, model, usage: sink.usage })
  }

  function noteUsage(wire: unknown): void {
    sink.noteUsage(wire)
    sink.serviceTier = decodeServiceTier(wire) ?? sink.serviceTier
  }

  /** Some vendors of this protocol end with `end_turn` after calls. */
  function conclude(reported: Finish): void {
    if (!sink.isStarted) start()
    blocks.closeAll()
    const isPlain = reported.reason === 'stop' && reported.stopSequence === undefined
    const finish: Finish = isPlain && blocks.hasCalls() ? { reason: 'tool-calls' } : reported
    sink.push({ type: 'finish', choice: 0, ...finish })
    sink.end()
  }

  return {
    read(type: string | undefined, event: JsonObject) {
      if (sink.isOver) return
      switch (type) {
        case 'message_start':
          return start(objectIn(event, 'message'))
        case 'content_block_start':
          if (!sink.isStarted) start()
          return blocks.start(countIn(event, 'index'), objectIn(event, 'content_block'))
        case 'content_block_delta':
          if (!sink.isStarted) start()
          return blocks.delta(countIn(event, 'index'), objectIn(event, 'delta'))
        case 'content_block_stop':
          return blocks.stop(countIn(event, 'index'))
        case 'message_delta':
          noteUsage(event.usage)
          finish = finishOf(objectIn(event, 'delta')) ?? finish
          return
        case 'message_stop':
          return conclude(finish ?? { reason: 'stop' })
        case 'error':
          return sink.fail(decodeMessagesError(event))
      }
    },
    end(): void {
      if (sink.isOver) return
      if (finish === undefined) blocks.closeAll()
      else conclude(finish)
      sink.isOver = true
    },
  }
}

function finishOf(holder: JsonObject | undefined): Finish | undefined {
  const wire = stringIn(holder, 'stop_reason')
  if (wire === undefined) return undefined
  return { reason: decodeStopReason(wire), stopSequence: stringIn(holder, 'stop_sequence') }
}

/** An open content block. Only a few of its members matter to each kind. */
interface Block {
  readonly kind: 'text' | 'reasoning' | 'tool-call' | 'search' | 'skipped'
  readonly id: string
  /** The first text emits the start: an empty block is dropped. */
  isStarted: boolean
  readonly citations: Citation[]
  signature?: string | undefined
  readonly isRedacted?: true | undefined
  readonly isCustom?: boolean
  readonly useId?: string | undefined
  /** From the block's start; it counts if no delta follows. */
  readonly input?: unknown
  hasInput: boolean
  /** JSON that is needed whole: of a custom tool, or a search. */
  held: string
}

type PendingSearch = { readonly id: string; readonly query: string | undefined }

/** Decodes the content blocks of one answer. A missing index is rare. */
function createBlockReader({ tools }: CanonicalRequest, sink: EventSink) {
  const open = new Map<number, Block>()
  const searches = new Map<string | undefined, PendingSearch>()
  let serial: number | undefined
  let latest = -1
  let hasCalls = false

  /** Text and reasoning are sequential; only calls may overlap. */
  function begin(index: number, kind: Block['kind'], own?: Partial<Block>): Block {
    if (serial !== undefined) close(serial)
    close(index)
    const empty = { isStarted: false, citations: [], hasInput: false, held: '' }
    const block: Block = { kind, id: sink.nextBlock(), ...empty, ...own }
    open.set(index, block)
    serial = kind === 'tool-call' ? undefined : index
    latest = index
    return block
  }

  function beginReasoning(index: number, signature?: string, isRedacted?: true): Block {
    const block = begin(index, 'reasoning', { signature, isRedacted })
    sink.push({ type: 'reasoning-start', choice: 0, id: block.id })
    return block
  }

  function beginCall(index: number, wire: JsonObject): void {
    const name = stringIn(wire, 'name') ?? ''
    const kind = toolNamed(tools, name)?.kind ?? 'function'
    const { id } = begin(index, 'tool-call', { input: wire.input, isCustom: kind === 'custom' })
    const callId = stringIn(wire, 'id') ?? sink.nextCall()
    hasCalls = true
    sink.push({ type: 'tool-call-start', choice: 0, id, callId, name, kind })
  }

  function beginOther(index: number, wire: JsonObject | undefined): void {
    if (isSearchUse(wire)) {
      const own = { useId: stringIn(wire, 'id'), input: wire?.input }
      const { id } = begin(index, 'search', own)
      sink.push({ type: 'search-start', choice: 0, id })
      return
    }
    begin(index, 'skipped')
    if (wire?.type !== 'web_search_tool_result') return
    const useId = stringIn(wire, 'tool_use_id')
    const search = searches.get(useId)
    searches.delete(useId)
    if (search !== undefined) endSearch(search, wire)
  }

  const endSearch = ({ id, query }: PendingSearch, result: JsonObject) =>
    sink.push({ type: 'search-end', id, search: decodeSearchResult(result, query) })

  /** Adds text or reasoning. Begins a block if none of its kind is open (T1, T11). */
  function add(kind: 'text' | 'reasoning', index: number, text: unknown): void {
    const found = open.get(index)
    const isNothing = typeof text !== 'string' || text === ''
    if (isNothing || found?.kind === 'skipped' || found?.kind === 'search') return
    if (kind === 'reasoning') {
      const { id } = found?.kind === 'reasoning' ? found : beginReasoning(index)
      sink.push({ type: 'reasoning-delta', id, text })
    } else {
      const block = found?.kind === 'text' ? found : begin(index, 'text')
      ensureStarted(block)
      sink.push({ type: 'text-delta', id: block.id, text })
    }
  }

  function addInput(block: Block | undefined, json: string): void {
    if (block?.kind === 'search') block.held += json
    if (block?.kind !== 'tool-call' || json === '') return
    block.hasInput = true
    if (block.isCustom) block.held += json
    else sink.push({ type: 'tool-call-delta', id: block.id, text: json })
  }

  function ensureStarted(block: Block): void {
    if (!block.isStarted) sink.push({ type: 'text-start', choice: 0, id: block.id })
    block.isStarted = true
  }

  function close(index: number) {
    const block = open.get(index)
    open.delete(index)
    if (serial === index) serial = undefined
    switch (block?.kind) {
      case 'text': {
        const citations = block.citations.length === 0 ? undefined : block.citations
        if (citations !== undefined) ensureStarted(block)
        if (block.isStarted) sink.push({ type: 'text-end', id: block.id, citations })
        return
      }
      case 'reasoning': {
        const { id, signature, isRedacted } = block
        return sink.push({ type: 'reasoning-end', id, signature, isRedacted })
      }
      case 'search': {
        const { id, useId, input, held } = block
        searches.set(useId, { id, query: queryIn(held === '' ? input : parseJsonObject(held)) })
        return
      }
      case 'tool-call': {
        const rest = remainingInput(block)
        if (rest !== '') sink.push({ type: 'tool-call-delta', id: block.id, text: rest })
        sink.push({ type: 'tool-call-end', id: block.id })
      }
    }
  }

  return {
    start(index = latest + 1, wire: JsonObject | undefined) {
      switch (wire?.type) {
        case 'text':
          begin(index, 'text').citations.push(...(decodeCitations(wire.citations) ?? []))
          return add('text', index, wire.text)
        case 'thinking':
          beginReasoning(index, stringIn(wire, 'signature'))
          return add('reasoning', index, wire.thinking)
        case 'redacted_thinking':
          beginReasoning(index, stringIn(wire, 'data'), true)
          return
        case 'tool_use':
          return beginCall(index, wire)
        default:
          return beginOther(index, wire)
      }
    },
    delta(index = latest, delta: JsonObject | undefined) {
      const block = open.get(index)
      switch (delta?.type) {
        case 'text_delta':
          return add('text', index, delta.text)
        case 'thinking_delta':
          return add('reasoning', index, delta.thinking)
        case 'input_json_delta':
          return addInput(block, stringIn(delta, 'partial_json') ?? '')
        case 'signature_delta':
          // T8: it comes whole; the vendor's SDKs do not join two either.
          if (block?.kind === 'reasoning')
            block.signature = stringIn(delta, 'signature') ?? block.signature
          return
        case 'citations_delta': {
          const citation = decodeCitation(delta.citation)
          if (block?.kind === 'text' && citation !== undefined) block.citations.push(citation)
        }
      }
    },
    stop: (index = latest) => close(index),
    closeAll(): void {
      for (const index of open.keys()) close(index)
      for (const search of searches.values()) endSearch(search, {})
      searches.clear()
    },
    hasBegun: () => latest >= 0,
    hasCalls: () => hasCalls,
  }
}

/** The rest of a call's input at its end (T4: all of it, without deltas). */
function remainingInput({ isCustom, input, hasInput, held }: Block): string {
  const whole = hasInput ? held : wholeInput(input)
  return isCustom ? bareInput(whole) : whole
}

/** T5: an input that is already JSON text stays. */
function wholeInput(input: unknown): string {
  if (typeof input === 'string') return input === '' ? '{}' : input
  return toJsonText(input ?? {}) ?? '{}'
}

/** The model sees a custom tool as a function with one text. */
function bareInput(json: string): string {
  const object = embedJson(json)
  const isBare = object !== undefined && Object.keys(object).length === 1
  return isBare && typeof object.input === 'string' ? object.input : json
}
