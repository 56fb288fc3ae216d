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

interface Stream {
  readonly context: EncodeContext
  readonly writer: BlockWriter
  /** Id of the block that is being written. */
  live: string | undefined
  /** What has come of the blocks that began meanwhile, … */
  readonly waiting: Map<string, BlockEvent[]>
  /** … their ids in order, and how many of these have had their turn. */
  readonly queue: string[]
  taken: number
  usage: Usage
  finish: Finish | undefined
  isStarted: boolean
  isOver: boolean
}

/**
 * Writes a streamed message. Blocks never overlap here: of parallel ones the first is written as it
 * comes, the others when it is done. An `error` event writes nothing: `fail` does.
 */
export function createMessagesEncoder(context: EncodeContext): StreamEncoder {
  const stream: Stream = {
    context,
    writer: createBlockWriter(context.requestId),
    live: undefined,
    waiting: new Map(),
    queue: [],
    taken: 0,
    // T18: clients show what they are told here, long before the upstream may tell it.
    usage: { ...emptyUsage, inputTokens: context.estimatedInputTokens },
    finish: undefined,
    isStarted: false,
    isOver: false,
  }
  return {
    push(event) {
      if (stream.isOver || event.type === 'error') return ''
      if (event.type === 'start') return start(stream, event)
      return start(stream, undefined) + writeEvent(stream, event)
    },
    fail(error) {
      if (stream.isOver) return ''
      stream.isOver = true
      return encodeMessagesStreamError(error)
    },
  }
}

/** T2: once, whatever comes first. */
function start(stream: Stream, event: StartEvent | undefined): string {
  if (stream.isStarted) return ''
  stream.isStarted = true
  stream.usage = event?.usage ?? stream.usage
  const message = {
    ...messageHead(event?.id, stream.context),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...encodeMessagesUsage(stream.usage), server_tool_use: null, service_tier: null },
  }
  return frame('message_start', `"message":${JSON.stringify(message)}`)
}

function writeEvent(stream: Stream, event: Exclude<AnswerEvent, StartEvent>): string {
  switch (event.type) {
    case 'finish': {
      const { choice, reason, stopSequence } = event
      if (choice === 0) stream.finish = { reason, stopSequence }
      return ''
    }
    case 'end':
      return end(stream, event)
    case 'image':
    case 'error':
      return ''
    default:
      return writeInTurn(stream, event)
  }
}

/** Side answers (`choice` 1 and up) never get an id here, and so are not written. */
function writeInTurn(stream: Stream, event: BlockEvent): string {
  if ('choice' in event) {
    if (event.choice !== 0) return ''
    if (stream.live !== undefined) {
      stream.waiting.set(event.id, [event])
      stream.queue.push(event.id)
      return ''
    }
    stream.live = event.id
    return writeBlock(stream.writer, event)
  }
  if (event.id !== stream.live) {
    stream.waiting.get(event.id)?.push(event)
    return ''
  }
  const frames = writeBlock(stream.writer, event)
  return event.type.endsWith('-end') ? frames + writeWaiting(stream) : frames
}

/** The live block is done: those that waited, up to and with the first that is not yet whole. */
function writeWaiting(stream: Stream): string {
  let frames = ''
  stream.live = undefined
  while (stream.live === undefined && stream.taken < stream.queue.length) {
    const id = stream.queue[stream.taken++] ?? ''
    const events = stream.waiting.get(id) ?? []
    stream.waiting.delete(id)
    for (const event of events) frames += writeBlock(stream.writer, event)
    if (!events.at(-1)?.type.endsWith('-end')) stream.live = id
  }
  return frames
}

function end(stream: Stream, event: Extract<AnswerEvent, { type: 'end' }>): string {
  const { writer, finish = { reason: 'other' } } = stream
  let frames = ''
  // Whoever sends events closes their blocks; one left open must not spoil the end.
  while (stream.live !== undefined) frames += closeBlock(writer) + writeWaiting(stream)
  stream.isOver = true
  const usage = encodeMessagesUsage(event.usage ?? stream.usage)
  const tier = encodeServiceTier(event.serviceTier)
  const delta = {
    ...encodeStop(finish, { calls: writer.hasCalls, refusal: writer.hasRefusal }),
    stop_details: null,
  }
  const searched = searchUsage(writer.searches)
  const told = {
    ...usage,
    ...(searched && { server_tool_use: searched }),
    ...(tier !== null && { service_tier: tier }),
  }
  const members = `"delta":${JSON.stringify(delta)},"usage":${JSON.stringify(told)}`
  return frames + frame('message_delta', members) + frame('message_stop', '')
}

/** The events of blocks: those that have a block's id. */
export type BlockEvent = Extract<AnswerEvent, { readonly id: string }>

/** Writes the content blocks of one answer, one at a time, with indexes that have no gap (T12). */
interface BlockWriter {
  /** Of the block that is open, or was opened last. */
  index: number
  isOpen: boolean
  /** Of the call that is open. */
  kind: ToolKind
  /** What the answer has held so far: calls, a refusal. */
  hasCalls: boolean
  hasRefusal: boolean
  /** Searches that were told of, and the blocks of such. */
  searches: number
  searchBlocks: number
  readonly requestId: string
}

/** A writer that has written nothing. */
function createBlockWriter(requestId: string): BlockWriter {
  const counts = { index: -1, searches: 0, searchBlocks: 0 }
  return {
    ...counts,
    isOpen: false,
    kind: 'function',
    hasCalls: false,
    hasRefusal: false,
    requestId,
  }
}

/** The next event of the block at hand, as frames. */
function writeBlock(writer: BlockWriter, event: BlockEvent): string {
  switch (event.type) {
    case 'text-start':
    case 'reasoning-start':
      // Opened when something is in it: an empty block would be refused when it is sent back.
      return ''
    case 'refusal-start':
      writer.hasRefusal = true
      return ''
    case 'text-delta':
    case 'refusal-delta':
      return event.text === '' ? '' : ensureOpen(writer, emptyText) + textDelta(writer, event.text)
    case 'text-end':
      return citationDeltas(writer, event.citations) + closeBlock(writer)
    case 'refusal-end':
      return closeBlock(writer)
    case 'reasoning-delta':
      if (event.text === '') return ''
      return (
        ensureOpen(writer, emptyThinking) +
        delta(writer, `"type":"thinking_delta","thinking":${JSON.stringify(event.text)}`)
      )
    case 'reasoning-end':
      return endReasoning(writer, event.signature, event.isRedacted === true)
    case 'tool-call-start': {
      writer.hasCalls = true
      writer.kind = event.kind
      const [id, name] = [JSON.stringify(event.callId), JSON.stringify(event.name)]
      const start = open(writer, `{"type":"tool_use","id":${id},"name":${name},"input":{}}`)
      return event.kind === 'custom' ? start + inputDelta(writer, '{"input":"') : start
    }
    case 'tool-call-delta':
      if (event.text === '') return ''
      // A custom tool's text becomes a string within JSON, piece by piece.
      return writer.kind === 'custom'
        ? inputDelta(writer, JSON.stringify(event.text).slice(1, -1))
        : inputDelta(writer, event.text)
    case 'search-start':
      return ''
    case 'search-end':
      return writeSearch(writer, event.search)
    case 'tool-call-end':
      return (writer.kind === 'custom' ? inputDelta(writer, '"}') : '') + closeBlock(writer)
  }
}

/** The end of the block that is open, if one is. */
export function closeBlock(writer: BlockWriter): string {
  if (!writer.isOpen) return ''
  writer.isOpen = false
  return frame('content_block_stop', `"index":${writer.index}`)
}

/** One event of a stream, by its type and the members that follow it. */
export function frame(type: string, members: string): string {
  const rest = members === '' ? '' : `,${members}`
  return `event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`
}

const emptyText = '{"type":"text","text":""}'
const emptyThinking = '{"type":"thinking","thinking":"","signature":""}'

function open(writer: BlockWriter, block: string): string {
  writer.isOpen = true
  writer.index++
  return frame('content_block_start', `"index":${writer.index},"content_block":${block}`)
}

const ensureOpen = (writer: BlockWriter, block: string): string =>
  writer.isOpen ? '' : open(writer, block)

const delta = ({ index }: BlockWriter, members: string): string =>
  frame('content_block_delta', `"index":${index},"delta":{${members}}`)

const textDelta = (writer: BlockWriter, text: string): string =>
  delta(writer, `"type":"text_delta","text":${JSON.stringify(text)}`)

const inputDelta = (writer: BlockWriter, json: string): string =>
  delta(writer, `"type":"input_json_delta","partial_json":${JSON.stringify(json)}`)

function citationDeltas(writer: BlockWriter, citations: readonly Citation[] | undefined): string {
  let frames = ''
  for (const citation of (citations ?? []).flatMap(encodeCitation)) {
    const json = toJsonText(citation)
    if (json === undefined) continue
    frames += ensureOpen(writer, emptyText)
    frames += delta(writer, `"type":"citations_delta","citation":${json}`)
  }
  return frames
}

/** The signature comes last, in one piece (T8). What has neither text nor signature is left out. */
function endReasoning(
  writer: BlockWriter,
  signature: string | undefined,
  isRedacted: boolean,
): string {
  if (signature === undefined) return closeBlock(writer)
  const json = JSON.stringify(signature)
  if (isRedacted && !writer.isOpen) {
    return open(writer, `{"type":"redacted_thinking","data":${json}}`) + closeBlock(writer)
  }
  return (
    ensureOpen(writer, emptyThinking) +
    delta(writer, `"type":"signature_delta","signature":${json}`) +
    closeBlock(writer)
  )
}

/** The query comes as the vendor's do, and what was found with the beginning of its block. */
function writeSearch(writer: BlockWriter, search: SearchPart): string {
  writer.searches += searchCount(search)
  let frames = ''
  const nextId = () => foreignSearchIdOf(writer.requestId, writer.searchBlocks++)
  for (const block of encodeSearchBlocks(search, nextId)) {
    const { input, ...rest } = block
    const isUse = input !== undefined
    frames += open(writer, JSON.stringify(isUse ? { ...rest, input: {} } : block))
    if (isUse) frames += inputDelta(writer, JSON.stringify(input))
    frames += closeBlock(writer)
  }
  return frames
}
