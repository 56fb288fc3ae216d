import { createSplitter } from '../../protocols/index.ts'
import type { RequestBody } from '../body/body.ts'
import { errorBody, errorHeaders, GatewayError, modelHeaders } from '../errors.ts'
import { answerHead, type Exchange } from '../exchange.ts'
import { failureClasses } from '../failures/failures.ts'
import { createMeter } from '../money/meter.ts'
import { recordUncharged, type SettleParts, settle } from '../money/settle.ts'
import type { Answer, StreamAnswer, UndeliverableAnswer } from '../upstream/answer.ts'
import { beat, type Heartbeat, heartbeatBytes, withoutSecondBracket } from './heartbeat.ts'
import { createRelay } from './relay.ts'
import { eventsOf } from './stream-end.ts'
import { bodyEnd, refusalEnd, undeliverableEnd } from './whole-end.ts'

export interface Reply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Uint8Array | string | AsyncGenerator<Uint8Array>
  /** The error in it, for `bytesOf` where a status was sent already; undefined: none. */
  readonly error: ReplyError | undefined
}

export const isStream = ({ body }: Reply): boolean =>
  typeof body === 'object' && Symbol.asyncIterator in body

interface ReplyError {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param: string | undefined
}

/** The answer is here. A native response is kept by its upstream, not by the gateway. */
export function beginReply({ tick }: SettleParts, exchange: Exchange): void {
  exchange.answeredTick = tick()
  if (exchange.route?.translation === undefined) exchange.keeping = undefined
}

/** Charges and stores a whole answer; undefined: a stream or refusal. Rejects like `settle`. */
export function settleWhole(
  parts: SettleParts,
  exchange: Exchange,
  answer: Answer,
): Promise<void> | undefined {
  if (answer.kind === 'body') {
    const { seen } = answer.observer
    const hasLeft = exchange.interruption === 'client_left'
    return settle(parts, exchange, bodyEnd(exchange, seen), seen, hasLeft)
  }
  if (answer.kind !== 'undeliverable') return undefined
  const end = undeliverableEnd(exchange, answer, undeliverableError(answer), answer.unfit?.record)
  return settle(parts, exchange, end, answer.observer.seen, true)
}

/** The reply of an answer; a whole one is settled before. */
export function replyTo(
  parts: SettleParts,
  exchange: Exchange,
  answer: Answer,
  body: RequestBody,
  heartbeat: Heartbeat,
): Reply {
  if (answer.kind === 'stream') return streamReply(parts, exchange, answer, body, heartbeat)
  heartbeat.stop()
  const end = answer.kind === 'refusal' ? refusalEnd(answer) : undefined
  if (end) recordUncharged(parts, exchange, end)
  exchange.releaseAll()
  if (answer.kind === 'undeliverable') return errorReply(exchange, undeliverableError(answer))
  const headers = replyHeaders(exchange, answer.contentType)
  const { bytes } = answer
  if (answer.kind === 'body') return { status: 200, headers, body: bytes, error: undefined }
  if (answer.retryAfter !== null) headers['retry-after'] = answer.retryAfter
  const { status } = answer
  const message = end?.causeText ?? 'The upstream refused the request.'
  const error = { status, code: 'upstream_refused', message, param: undefined }
  return { status, headers, body: bytes, error }
}

function undeliverableError({ unfit, memoryError }: UndeliverableAnswer): GatewayError {
  if (memoryError) return memoryError
  const { answer: kind, message } = failureClasses.upstream_invalid
  return new GatewayError(kind, unfit?.message ?? message)
}

function streamReply(
  parts: SettleParts,
  exchange: Exchange,
  answer: StreamAnswer,
  body: RequestBody,
  heartbeat: Heartbeat,
): Reply {
  const stream = createRelay({
    exchange,
    answer,
    splitter: createSplitter(answer.framing),
    hideUsage: answer.translator === undefined && 'stream_options' in body.facts.amend,
    meter: createMeter(parts, exchange),
    heartbeat,
    settle: (end, seen, chargesLate) =>
      settle(parts, exchange, end, seen, chargesLate).finally(() => exchange.releaseAll()),
  })
  if (exchange.interruption) exchange.notifyInterrupted()
  const headers = streamHeaders(exchange, answer.contentType)
  const isArray = exchange.framing === 'json-array'
  const bytes = isArray ? withoutSecondBracket(stream, false) : stream
  return { status: 200, headers, body: bytes, error: undefined }
}

function streamHeaders(exchange: Exchange, contentType: string): Record<string, string> {
  return { ...replyHeaders(exchange, contentType), 'cache-control': 'no-cache' }
}

const droppedHeader = 'x-tollgate-dropped'

function replyHeaders(exchange: Exchange, contentType: string): Record<string, string> {
  const headers = modelHeaders(exchange.protocol, exchange.requestId, contentType)
  if (exchange.dropped.length > 0) headers[droppedHeader] = listDropped(exchange.dropped)
  return headers
}

/** A failure before anything of an answer went out. */
export function errorReply(exchange: Exchange, error: GatewayError): Reply {
  const { protocol, requestId } = exchange
  const { status, kind, message, details } = error
  return {
    status,
    headers: errorHeaders(error, protocol, requestId),
    body: errorBody(error, protocol, requestId),
    error: { status, code: kind, message, param: details.param },
  }
}

/** The most names in the header; a client may send any number. */
const maxNames = 20
const maxLength = 100

/** The value of `x-tollgate-dropped`: names as the client wrote them. */
export function listDropped(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map(headerSafe)
  const rest = names.length - shown.length
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')
}

/** Unknown field names come from the client: a header takes plain characters only. */
function headerSafe(name: string): string {
  if (name === '') return '""'
  return name.slice(0, maxLength).replace(/[^\x21-\x2b\x2d-\x7e]/g, '?')
}

/** The reply to a slow stream: heartbeats first, and a failure inside of it. */
export async function replyInTime(
  exchange: Exchange,
  coming: Promise<Reply>,
  heartbeat: Heartbeat,
): Promise<Reply> {
  const reply = await heartbeat.next(coming)
  if (reply !== beat) return reply
  // Nothing goes to the client before its money is reserved.
  const isPaid = await (exchange.reservation?.ensureStored() ?? Promise.resolve()).then(
    () => true,
    () => false,
  )
  if (!isPaid || exchange.interruption !== undefined) return coming
  const type = exchange.framing === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/json'
  const headers = streamHeaders(exchange, type)
  const body = waitingStream(exchange, coming, heartbeat, headers)
  return { status: 200, headers, body, error: undefined }
}

async function* waitingStream(
  exchange: Exchange,
  coming: Promise<Reply>,
  heartbeat: Heartbeat,
  headers: Reply['headers'],
): AsyncGenerator<Uint8Array> {
  let reply: Reply | typeof beat = beat
  let isFirst = true
  while (reply === beat) {
    yield heartbeatBytes(exchange, { isFirst })
    isFirst = false
    heartbeat.sent()
    reply = await heartbeat.next(coming)
  }
  const late = exchange.framing === 'sse' ? lateHeader(headers, reply.headers) : undefined
  if (late !== undefined) yield heartbeatBytes(exchange, { isFirst, note: late })
  yield* joined(exchange, bytesOf(exchange, reply))
}

/** A reply's bytes where a status was sent already. */
async function* bytesOf(exchange: Exchange, { body, error }: Reply): AsyncGenerator<Uint8Array> {
  if (error !== undefined) {
    const shown = { ...error, ...answerHead(exchange) }
    const text = exchange.protocol.encodeStreamError(shown, exchange, true)
    yield* eventsOf(new TextEncoder().encode(text), exchange)
    exchange.limitSilence()
  } else if (typeof body === 'object' && Symbol.asyncIterator in body) yield* body
}

/** A byte order mark, or an array's bracket, may only stand before a heartbeat. */
const joined = ({ framing }: Exchange, stream: AsyncIterable<Uint8Array>) =>
  framing === 'sse' ? withoutMark(stream) : withoutSecondBracket(withoutMark(stream), true)

async function* withoutMark(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const chunk of stream) {
    const [a, b, c] = chunk
    const hasMark = isFirst && a === 0xef && b === 0xbb && c === 0xbf
    isFirst = false
    yield hasMark ? chunk.subarray(3) : chunk
  }
}

/** The late answer's dropped fields, where the sent headers name others. */
function lateHeader(sent: Reply['headers'], late: Reply['headers']): string | undefined {
  const dropped = late[droppedHeader]
  if (dropped === undefined || dropped === sent[droppedHeader]) return undefined
  return `${droppedHeader}: ${dropped}`
}
