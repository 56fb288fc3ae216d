import { type BlockEvent, createBlockOrder } from '../canonical/block-order.ts'
import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import type { AnswerEvent, StartEvent } from '../canonical/event.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type { Citation, SearchPart, ToolKind } from '../canonical/request.ts'
import type { Finish } from '../canonical/response.ts'
import { emptyUsage, type Usage } from '../canonical/usage.ts'
import { encodeStop, messageHead } from './encode-answer.ts'
import { encodeMessagesStreamError } from './errors.ts'
import {
  encodeCitation,
  encodeSearchBlocks,
  foreignSearchIdOf,
  searchCount,
  searchUsage,
} from './search.ts'
import { encodeMessagesUsage, encodeServiceTier } from './usage.ts'

/**
 * Writes a streamed message. Blocks never overlap here: of parallel ones the first is written as it
 * comes, the others when it is done. An `error` event writes nothing: `fail` does.
 */
export function createMessagesEncoder(context: EncodeContext): StreamEncoder {
  const blocks = createBlockWriter(context.requestId)
  const order = createBlockOrder(blocks.write)
  // T18: clients show this estimate, long before the upstream reports its usage.
  let usage: Usage = { ...emptyUsage, inputTokens: context.estimatedInputTokens }
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
      ...{ stop_reason: null, stop_sequence: null, stop_details: null },
      usage: { ...encodeMessagesUsage(usage), server_tool_use: null, service_tier: null },
    }
    return frame('message_start', `"message":${JSON.stringify(message)}`)
  }

  function end(event: Extract<AnswerEvent, { type: 'end' }>): string {
    // Decoders close their blocks; one left open must not spoil the end.
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
        // Blocks of other choices are never begun, and so are not written.
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

/** Writes the content blocks of one answer, one at a time, with indexes that have no gap (T12). */
function createBlockWriter(requestId: string) {
  /** What the answer has held so far. */
  const held = { calls: false, refusal: false }
  /** Of the block that is open, or was opened last. */
  let index = -1
  let isOpen = false
  /** Of the call that is open. */
  let kind: ToolKind = 'function'
  let searches = 0
  let searchBlocks = 0

  function open(block: string): string {
    isOpen = true
    index++
    return frame('content_block_start', `"index":${index},"content_block":${block}`)
  }

  /** Blocks are opened when something is in them: an empty one would be refused when it is sent back. */
  const ensureOpen = (block: string): string => (isOpen ? '' : open(block))

  const delta = (members: string): string =>
    frame('content_block_delta', `"index":${index},"delta":{${members}}`)

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

  /** The signature comes last, in one piece (T8). What has neither text nor signature is left out. */
  function endReasoning(signature: string | undefined, isRedacted: boolean | undefined): string {
    if (signature === undefined) return close()
    const json = JSON.stringify(signature)
    if (isRedacted && !isOpen) return open(`{"type":"redacted_thinking","data":${json}}`) + close()
    return (
      ensureOpen(emptyThinking) + delta(`"type":"signature_delta","signature":${json}`) + close()
    )
  }

  /** The query comes as the vendor's do, and what was found with the beginning of its block. */
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
        // A custom tool's text becomes a string within JSON, piece by piece.
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

/** One event of a stream, by its type and the members that follow it. */
function frame(type: string, members: string): string {
  const rest = members === '' ? '' : `,${members}`
  return `event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`
}
