import type { Exchange } from './exchange.ts'
import { beat, type Heartbeat, heartbeatBytes } from './heartbeat.ts'
import type { Reply } from './reply.ts'
import { streamHeaders } from './reply.ts'

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
  return {
    status: 200,
    headers: streamHeaders(exchange, type),
    body: waitingStream(exchange, coming, heartbeat),
    fault: undefined,
  }
}

async function* waitingStream(
  exchange: Exchange,
  coming: Promise<Reply>,
  heartbeat: Heartbeat,
): AsyncGenerator<Uint8Array> {
  let reply: Reply | typeof beat = beat
  while (reply === beat) {
    yield heartbeatBytes(exchange.framing)
    heartbeat.sent()
    reply = await heartbeat.next(coming)
  }
  const { body, fault } = reply
  if (fault !== undefined) yield toldInside(exchange, fault)
  else if (typeof body === 'object' && Symbol.asyncIterator in body) yield* body
}

/** An error where a status was sent already. */
function toldInside(exchange: Exchange, fault: NonNullable<Reply['fault']>): Uint8Array {
  const { protocol, framing, requestId } = exchange
  return new TextEncoder().encode(
    protocol.encodeStreamError({ ...fault, requestId }, framing, true),
  )
}
