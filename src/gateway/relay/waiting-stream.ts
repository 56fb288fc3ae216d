import type { Exchange } from '../exchange.ts'
import { beat, type Heartbeat, heartbeatBytes, withoutSecondBracket } from './heartbeat.ts'
import { droppedHeader, type Reply, streamHeaders } from './reply.ts'
import { eventsOf, streamHead } from './tell-failure.ts'

/** The reply to a stream: when its answer is slow, heartbeats first, and a failure inside of it. */
export async function replyInTime(
  exchange: Exchange,
  coming: Promise<Reply>,
  heartbeat: Heartbeat,
): Promise<Reply> {
  const reply = await heartbeat.next(coming)
  if (reply !== beat) return reply
  // Nothing goes to the client before its money is reserved.
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

/** What a reply comes to where a status was sent already. */
async function* bytesOf(exchange: Exchange, { body, fault }: Reply): AsyncGenerator<Uint8Array> {
  if (fault !== undefined) {
    const error = { ...fault, ...streamHead(exchange) }
    const told = exchange.protocol.encodeStreamError(error, exchange, true)
    yield* eventsOf(new TextEncoder().encode(told), exchange)
  } else if (typeof body === 'object' && Symbol.asyncIterator in body) yield* body
}

/** A byte order mark, or an array's bracket, is one at the beginning only: heartbeats were sent already. */
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

/** What the channel leaves out that has answered at last, when the headers name something else. */
function lateHeader(sent: Reply['headers'], late: Reply['headers']): string | undefined {
  const dropped = late[droppedHeader]
  if (dropped === undefined || dropped === sent[droppedHeader]) return undefined
  return `${droppedHeader}: ${dropped}`
}
