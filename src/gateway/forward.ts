import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { createObservation } from '../protocols/canonical/observation.ts'
import { StoreError } from '../store/ports/store-error.ts'
import { type AdmitParts, admit } from './admit/admit.ts'
import type { ModelCall } from './admit/gatekeeper.ts'
import { dropRest } from './body/rest-of-body.ts'
import { usualSilenceSeconds } from './context.ts'
import { databaseNotRead, GatewayError, stopping } from './errors.ts'
import { begin, type Exchange } from './exchange.ts'
import { type ConcludeParts, conclude, settle } from './money/conclude.ts'
import { countInput } from './money/count-input.ts'
import type { End } from './money/record.ts'
import { type Heartbeats, noHeartbeat } from './relay/heartbeat.ts'
import { leftTexts, mayAbort, noteInterruption, showsAll } from './relay/leaving.ts'
import { type Delivery, errorReply, isStream, type Reply, replyTo } from './relay/reply.ts'
import { replyInTime } from './relay/waiting-stream.ts'
import type { StreamAnswer } from './upstream/answer.ts'
import { type AskParts, askChannels } from './upstream/ask-channels.ts'
import type { Interruption } from './upstream/causes.ts'

export interface ForwardParts extends AdmitParts, AskParts, ConcludeParts {
  readonly heartbeats: Heartbeats
  readonly clock: Clock
  readonly tick: Clock
  readonly log: Logger
}

export interface Forwarder {
  /** One request through all its steps; never throws: a failure is an answer, too. */
  forward(call: ModelCall): Promise<Response>
  /** How many exchanges have begun so far. */
  begun(): number
  /** How many exchanges are under way, streams included. */
  active(): number
  /** Those of them whose answer is a stream that has begun. */
  activeStreams(): number
  /** From now on requests are refused: the process stops. */
  close(): void
  /** Ends all exchanges that are under way: the process stops. */
  interruptAll(): void
}

/** The way of a request: authenticate, read, plan, attempt, relay, settle. */
export function createForwarder(parts: ForwardParts): Forwarder {
  const active = new Set<Exchange>()
  let begun = 0
  let closed = false

  /** Gives back all that an exchange has taken; harmless when repeated. */
  function end({ hasPlace, lease, permit, choice, usedLlmTokens }: Exchange): void {
    if (hasPlace) parts.places.leave()
    if (lease) parts.memory.end(lease)
    permit?.used(usedLlmTokens)
    permit?.release()
    choice?.ended(usedLlmTokens)
  }

  async function forward(call: ModelCall): Promise<Response> {
    const exchange = begin(call, parts)
    active.add(exchange)
    begun++
    const { signal } = call.request
    // Also behind its settlement: an upstream may be slow to close, and nobody waits for that then.
    signal.addEventListener('abort', () => interrupt(exchange, 'client_left'), { once: true })
    const done = () => active.delete(exchange) && end(exchange)
    try {
      if (closed) throw stopping()
      const body = await unlessInterrupted(exchange, () => admit(parts, exchange, call))
      if (!signal.aborted) call.limitSilence(0) // models think in silence
      const heartbeat = body.facts.stream
        ? parts.heartbeats.begin(exchange.startedTick)
        : noHeartbeat
      const coming = answer(parts, exchange, { body, heartbeat, done })
      const reply = await (body.facts.stream ? replyInTime(exchange, coming, heartbeat) : coming)
      // Streams set no limit again: their end is not a moment at which the connection is surely there.
      if (!isStream(reply) && !signal.aborted) call.limitSilence(usualSilenceSeconds)
      return toResponse(reply)
    } catch (error) {
      done()
      const reply = fail(parts, exchange, error)
      const isStranger = exchange.caller === undefined || reply.status === 401
      if (!(await dropRest(call.request, isStranger, error))) reply.headers.connection = 'close'
      return toResponse(reply)
    }
  }

  return {
    forward,
    begun: () => begun,
    active: () => active.size,
    activeStreams() {
      let count = 0
      for (const { facts, firstByteTick } of active) {
        if (facts?.stream && firstByteTick !== undefined) count++
      }
      return count
    },
    close() {
      closed = true
    },
    interruptAll() {
      for (const exchange of active) interrupt(exchange, 'shutdown')
    },
  }
}

/** What the client gets of a request that was let in; never rejects: a failure is a reply, too. */
async function answer(parts: ForwardParts, exchange: Exchange, delivery: Delivery): Promise<Reply> {
  const { body, heartbeat, done } = delivery
  let hasAnswer = false
  try {
    const isCount = exchange.operation === exchange.protocol.counting
    const found = await (isCount
      ? countInput(parts, exchange, body, () => askChannels(parts, exchange, body))
      : askChannels(parts, exchange, body))
    if (found.kind === 'stream') await paid(exchange, found)
    // A whole answer is settled before its first byte: that is as good, where nobody else has spent
    // the same money meanwhile.
    else if (found.kind !== 'refusal' && parts.committer.isShared)
      await exchange.reservation?.written()
    hasAnswer = true
    return await replyTo(parts, exchange, found, delivery)
  } catch (error) {
    heartbeat.stop()
    const isLost = !hasAnswer && exchange.interruption === 'client_left' && exchange.isOwed
    if (isLost && !exchange.isUnpaid) await settleLost(parts, exchange)
    done()
    return fail(parts, exchange, error)
  }
}

/** Charges what a client owes that has left, when nothing came of an upstream that was asked. */
async function settleLost(parts: ForwardParts, exchange: Exchange): Promise<void> {
  const seen = createObservation()
  const isLost = !showsAll(exchange, seen)
  const causeText = isLost ? leftTexts.lost : leftTexts.seen
  const cause = 'client_left'
  const end: End = { ending: cause, status: clientClosedRequest, cause, causeText, isLost }
  // What could not be stored is kept, and its failure logged.
  await settle(parts, exchange, end, seen, true).catch(() => {})
}

/** Waits until a stream's money is set aside; one that nobody pays for is given up. */
async function paid({ reservation }: Exchange, stream: StreamAnswer): Promise<void> {
  try {
    await reservation?.written()
  } catch (error) {
    stream.finish('abandoned')
    throw error
  }
}

/** What comes; rejects when the exchange is interrupted, or given up, while its body is still coming. */
function unlessInterrupted<Result>(
  exchange: Exchange,
  begin: () => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    exchange.onInterrupted = () => reject(stopping())
    exchange.giveUp = reject
    begin().then(resolve, reject)
  })
}

function interrupt(exchange: Exchange, interruption: Interruption): void {
  noteInterruption(exchange, interruption)
  if (mayAbort(exchange, interruption)) exchange.abort()
  exchange.onInterrupted()
}

/**
 * The reply to a request that failed before anything of an answer went out. Where its money or its answer
 * could not be stored that is its end, whoever has left meanwhile: nobody pays for it.
 */
function fail(parts: ForwardParts, exchange: Exchange, thrown: unknown): Reply {
  const isOfStore = exchange.isUnpaid || exchange.firstByteTick !== undefined
  const interruption = isOfStore ? undefined : exchange.interruption
  const error = toGatewayError(parts, exchange, thrown)
  const refused = error.status < 500 && error.kind !== 'channels_busy'
  conclude(parts, exchange, {
    ending: interruption ?? (refused ? 'refused' : 'failed'),
    status: interruption === 'client_left' ? clientClosedRequest : error.status,
    cause: interruption ?? error.word,
    causeText: interruption ? null : error.message,
  })
  return errorReply(exchange, error)
}

const toResponse = ({ body, status, headers }: Reply): Response =>
  new Response(body as unknown as Bun.BodyInit, { status, headers })

/** The status that logs of the field use for a client that did not wait; nobody receives it. */
const clientClosedRequest = 499

function toGatewayError(parts: ForwardParts, exchange: Exchange, thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  if (thrown instanceof StoreError) {
    parts.log.warn('database not read', { request_id: exchange.requestId, error: thrown.message })
    return databaseNotRead(thrown)
  }
  parts.log.error('internal error', {
    request_id: exchange.requestId,
    error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
  })
  return new GatewayError('internal', 'The gateway failed. Try again, or tell its operator.')
}
