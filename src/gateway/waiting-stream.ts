import type { Exchange } from './exchange.ts'
import { beat, type Heartbeat, heartbeatBytes } from './heartbeat.ts'
import { droppedHeader, type Reply, streamHeaders } from './reply.ts'

/**
 * The answer to a request for a stream: when it is slow to come, a stream that says nothing but
 * heartbeats at first. A failure that comes later than that is told inside of it.
 */
export async function replyInTime(
  exchange: Exchange,
  coming: Promise<Reply>,
  heartbeat: Heartbeat,
): Promise<Reply> {
  const reply = await heartbeat.next(coming)
  if (reply !== beat) return reply
  // Nothing goes to the client before its money is set aside; a refusal is what is coming then.
  const isPaid = await (exchange.reservation?.written() ?? Promise.resolve()).then(
    () => true,
    () => false,
  )
  if (!isPaid || exchange.interruption !== undefined) return coming
  const type = exchange.framing === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/json'
  const headers = streamHeaders(exchange, type)
  const body = waitingStream(exchange, coming, { heartbeat, headers })
  return { status: 200, headers, body, fault: undefined }
}

/** What the client has until the answer comes. */
interface Sent {
  readonly heartbeat: Heartbeat
  readonly headers: Reply['headers']
}

async function* waitingStream(
  exchange: Exchange,
  coming: Promise<Reply>,
  { heartbeat, headers }: Sent,
): AsyncGenerator<Uint8Array> {
  let reply: Reply | typeof beat = beat
  while (reply === beat) {
    yield heartbeatBytes(exchange.framing)
    heartbeat.sent()
    reply = await heartbeat.next(coming)
  }
  const { body, fault } = reply
  const late = exchange.framing === 'sse' ? lateHeader(headers, reply.headers) : undefined
  if (late !== undefined) yield late
  if (fault !== undefined) yield toldInside(exchange, fault)
  else if (typeof body === 'object' && Symbol.asyncIterator in body) yield* withoutMark(body)
}

/** A byte order mark is one at the beginning only, and heartbeats have been sent already. */
async function* withoutMark(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const chunk of stream) {
    const [a, b, c] = chunk
    const hasMark = isFirst && a === 0xef && b === 0xbb && c === 0xbf
    isFirst = false
    yield hasMark ? chunk.subarray(3) : chunk
  }
}

/** What the channel leaves out that has answered at last, when the headers name something else: a comment. */
function lateHeader(sent: Reply['headers'], late: Reply['headers']): Uint8Array | undefined {
  const dropped = late[droppedHeader]
  if (dropped === undefined || dropped === sent[droppedHeader]) return undefined
  return new TextEncoder().encode(`: ${droppedHeader}: ${dropped}\n\n`)
}

/** An error where a status was sent already. */
function toldInside(exchange: Exchange, fault: NonNullable<Reply['fault']>): Uint8Array {
  const { protocol, framing, requestId } = exchange
  return new TextEncoder().encode(
    protocol.encodeStreamError({ ...fault, requestId }, framing, true),
  )
}
