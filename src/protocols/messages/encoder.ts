import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import type { AnswerEvent, StartEvent } from '../canonical/event.ts'
import type { Finish } from '../canonical/response.ts'
import { emptyUsage, type Usage } from '../canonical/usage.ts'
import {
  type BlockEvent,
  type BlockWriter,
  closeBlock,
  createBlockWriter,
  frame,
  writeBlock,
} from './block-writer.ts'
import { messageHead } from './encode-response.ts'
import { encodeMessagesStreamError } from './error.ts'
import { searchUsage } from './search-blocks.ts'
import { encodeStop } from './stop-reason.ts'
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
