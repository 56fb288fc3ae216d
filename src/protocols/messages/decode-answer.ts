import type { DecodeContext, StreamDecoder } from '../canonical/codec.ts'
import type { CanonicalError } from '../canonical/error.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import { withoutExtras } from '../canonical/extras.ts'
import { createFolder } from '../canonical/fold.ts'
import type { ServiceTier } from '../canonical/request.ts'
import type { CanonicalResponse, Finish } from '../canonical/response.ts'
import type { Usage } from '../canonical/usage.ts'
import { arrayIn, countIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { type BlockReader, createBlockReader } from './decode-blocks.ts'
import { decodeStopReason } from './encode-answer.ts'
import { decodeMessagesError } from './errors.ts'
import {
  createMessagesCounts,
  decodeServiceTier,
  foldMessagesUsage,
  type MessagesCounts,
} from './usage.ts'

/** Reads a whole message, as the stream that it could have been: both then say the same. */
export function decodeMessagesResponse(
  body: JsonObject,
  context: DecodeContext,
): CanonicalResponse {
  if (body.type === 'error') return { choices: [], error: decodeMessagesError(body) }
  const reader = createEventReader(context)
  const folder = createFolder()
  const read = (type: string, event: JsonObject) => {
    for (const result of reader.read(type, event)) folder.push(result)
  }
  read('message_start', { message: body })
  for (const [index, block] of arrayIn(body, 'content').entries()) {
    read('content_block_start', { index, content_block: isJsonObject(block) ? block : undefined })
    read('content_block_stop', { index })
  }
  // Usage was told above.
  read('message_delta', { delta: body })
  read('message_stop', {})
  return folder.response()
}

/** Turns parsed stream events into canonical ones; a whole message is read as its events. */
interface EventReader {
  /** `type` is the event's own, or else the name of its frame. */
  read(type: string | undefined, event: JsonObject): readonly AnswerEvent[]
  /** The upstream said that it failed. */
  fail(error: CanonicalError): readonly AnswerEvent[]
  /** Nothing more comes. */
  end(): readonly AnswerEvent[]
}

/** What is known of an answer so far. */
interface Answer {
  readonly blocks: BlockReader
  readonly counts: MessagesCounts
  readonly emit: (event: AnswerEvent) => void
  usage: Usage | undefined
  serviceTier: ServiceTier | undefined
  finish: Finish | undefined
  isStarted: boolean
  isOver: boolean
}

/** A reader of one answer. What comes after its end or an error is not read. */
function createEventReader(context: DecodeContext): EventReader {
  let events: AnswerEvent[] = []
  const emit = (event: AnswerEvent) => {
    events.push(event)
  }
  const answer: Answer = {
    blocks: createBlockReader(context, emit),
    counts: createMessagesCounts(),
    emit,
    usage: undefined,
    serviceTier: undefined,
    finish: undefined,
    isStarted: false,
    isOver: false,
  }
  const taking = (step: () => void): readonly AnswerEvent[] => {
    events = []
    if (!answer.isOver) step()
    return events
  }
  return {
    read: (type, event) => taking(() => readEvent(answer, type, event)),
    fail: (error) => taking(() => fail(answer, error)),
    end: () =>
      taking(() => {
        if (answer.finish === undefined) answer.blocks.closeAll()
        else conclude(answer, answer.finish)
        answer.isOver = true
      }),
  }
}

function readEvent(answer: Answer, type: string | undefined, event: JsonObject): void {
  const { blocks } = answer
  switch (type) {
    case 'message_start':
      start(answer, objectIn(event, 'message'))
      return
    case 'content_block_start':
      if (!answer.isStarted) start(answer, undefined)
      blocks.start(countIn(event, 'index'), objectIn(event, 'content_block'))
      return
    case 'content_block_delta':
      if (!answer.isStarted) start(answer, undefined)
      blocks.delta(countIn(event, 'index'), objectIn(event, 'delta'))
      return
    case 'content_block_stop':
      blocks.stop(countIn(event, 'index'))
      return
    case 'message_delta':
      noteUsage(answer, event.usage)
      answer.finish = finishOf(objectIn(event, 'delta')) ?? answer.finish
      return
    case 'message_stop':
      conclude(answer, answer.finish ?? { reason: 'stop' })
      return
    case 'error':
      fail(answer, decodeMessagesError(event))
  }
}

/** T2: what says twice that it begins has begun once. In the middle it would be another answer. */
function start(answer: Answer, message: JsonObject | undefined): void {
  const { isStarted, blocks, emit } = answer
  if (isStarted && blocks.hasBegun()) {
    fail(answer, { message: 'The upstream began another answer within its answer.' })
    return
  }
  noteUsage(answer, message?.usage)
  answer.finish = finishOf(message) ?? answer.finish
  answer.isStarted = true
  if (isStarted) return
  const { usage } = answer
  emit({ type: 'start', id: stringIn(message, 'id'), model: stringIn(message, 'model'), usage })
}

function noteUsage(answer: Answer, wire: unknown): void {
  answer.usage = withoutExtras(foldMessagesUsage(answer.counts, wire)) ?? answer.usage
  answer.serviceTier = decodeServiceTier(wire) ?? answer.serviceTier
}

function finishOf(holder: JsonObject | undefined): Finish | undefined {
  const wire = stringIn(holder, 'stop_reason')
  if (wire === undefined) return undefined
  return { reason: decodeStopReason(wire), stopSequence: stringIn(holder, 'stop_sequence') }
}

/** Some who speak this protocol say `end_turn` after calls. */
function conclude(answer: Answer, said: Finish): void {
  const { blocks, emit } = answer
  if (!answer.isStarted) start(answer, undefined)
  blocks.closeAll()
  const isPlain = said.reason === 'stop' && said.stopSequence === undefined
  const finish: Finish = isPlain && blocks.hasCalls() ? { reason: 'tool-calls' } : said
  emit({ type: 'finish', choice: 0, ...finish })
  emit({ type: 'end', usage: answer.usage, serviceTier: answer.serviceTier })
  answer.isOver = true
}

function fail(answer: Answer, error: CanonicalError): void {
  answer.emit({ type: 'error', error })
  answer.isOver = true
}

/** Reads a streamed message. An error that comes before anything else comes without a `start`. */
export function createMessagesDecoder(context: DecodeContext): StreamDecoder {
  const reader = createEventReader(context)
  return {
    push(data, name, json) {
      const event = json ?? parseJsonObject(data)
      if (event !== undefined) return reader.read(stringIn(event, 'type') ?? name, event)
      return name === 'error' ? reader.fail(decodeMessagesError({ error: data })) : []
    },
    end: () => reader.end(),
  }
}
