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
import { createBlockReader } from './decode-blocks.ts'
import { decodeStopReason } from './encode-answer.ts'
import { decodeMessagesError } from './errors.ts'
import { decodeServiceTier, foldMessagesUsage, type MessagesCounts } from './usage.ts'

/** Reads a whole message, as the stream that it could have been: both then say the same. */
export function decodeMessagesResponse(
  body: JsonObject,
  context: DecodeContext,
): CanonicalResponse {
  if (body.type === 'error') return { choices: [], error: decodeMessagesError(body) }
  const folder = createFolder()
  const { read } = createEventReader(context, folder.push)
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

/** Reads a streamed message. An error that comes before anything else comes without a `start`. */
export function createMessagesDecoder(context: DecodeContext): StreamDecoder {
  let events: AnswerEvent[] = []
  const reader = createEventReader(context, (event) => {
    events.push(event)
  })
  return {
    push(data, name, json) {
      events = []
      const event = json ?? parseJsonObject(data)
      if (event !== undefined) reader.read(stringIn(event, 'type') ?? name, event)
      else if (name === 'error') reader.fail(decodeMessagesError({ error: data }))
      return events
    },
    end() {
      events = []
      reader.end()
      return events
    },
  }
}

/**
 * Turns parsed stream events into canonical ones, which `emit` gets. What comes after the answer's end
 * or an error is not read.
 */
function createEventReader(context: DecodeContext, emit: (event: AnswerEvent) => void) {
  const blocks = createBlockReader(context, emit)
  const counts: MessagesCounts = {}
  let usage: Usage | undefined
  let serviceTier: ServiceTier | undefined
  let finish: Finish | undefined
  let isStarted = false
  let isOver = false

  /** T2: what says twice that it begins has begun once. In the middle it would be another answer. */
  function start(message?: JsonObject) {
    if (isStarted && blocks.hasBegun()) {
      return fail({ message: 'The upstream began another answer within its answer.' })
    }
    noteUsage(message?.usage)
    finish = finishOf(message) ?? finish
    if (isStarted) return
    isStarted = true
    emit({ type: 'start', id: stringIn(message, 'id'), model: stringIn(message, 'model'), usage })
  }

  function noteUsage(wire: unknown): void {
    usage = withoutExtras(foldMessagesUsage(counts, wire)) ?? usage
    serviceTier = decodeServiceTier(wire) ?? serviceTier
  }

  /** Some vendors of this protocol end with `end_turn` after calls. */
  function conclude(said: Finish): void {
    if (!isStarted) start()
    blocks.closeAll()
    const isPlain = said.reason === 'stop' && said.stopSequence === undefined
    const told: Finish = isPlain && blocks.hasCalls() ? { reason: 'tool-calls' } : said
    emit({ type: 'finish', choice: 0, ...told })
    emit({ type: 'end', usage, serviceTier })
    isOver = true
  }

  /** The upstream said that it failed. */
  function fail(error: CanonicalError): void {
    if (!isOver) emit({ type: 'error', error })
    isOver = true
  }

  return {
    fail,
    /** `type` is the event's own, or else the name of its frame. */
    read(type: string | undefined, event: JsonObject) {
      if (isOver) return
      switch (type) {
        case 'message_start':
          return start(objectIn(event, 'message'))
        case 'content_block_start':
          if (!isStarted) start()
          return blocks.start(countIn(event, 'index'), objectIn(event, 'content_block'))
        case 'content_block_delta':
          if (!isStarted) start()
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
          return fail(decodeMessagesError(event))
      }
    },
    /** Nothing more comes. */
    end(): void {
      if (isOver) return
      if (finish === undefined) blocks.closeAll()
      else conclude(finish)
      isOver = true
    },
  }
}

function finishOf(holder: JsonObject | undefined): Finish | undefined {
  const wire = stringIn(holder, 'stop_reason')
  if (wire === undefined) return undefined
  return { reason: decodeStopReason(wire), stopSequence: stringIn(holder, 'stop_sequence') }
}
