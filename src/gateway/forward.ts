import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { Roster } from '../lib/roster.ts'
import { createObservation } from '../protocols/canonical/observation.ts'
import { type Admitted, admit } from './admit/admit.ts'
import type { AdmitParts } from './admit/admit-parts.ts'
import type { ModelCall } from './admit/gatekeeper.ts'
import { dropRest } from './body/rest-of-body.ts'
import { asGatewayError, endedOutside } from './errors.ts'
import { Exchange } from './exchange.ts'
import type { End } from './money/record.ts'
import { recordUncharged, type SettleParts, settle } from './money/settle.ts'
import { disconnectTexts, showsAll } from './relay/disconnect.ts'
import { type Heartbeat, type Heartbeats, noHeartbeat } from './relay/heartbeat.ts'
import {
  beginReply,
  errorReply,
  isStream,
  type Reply,
  replyInTime,
  replyTo,
  settleWhole,
} from './relay/reply.ts'
import type { Answer } from './upstream/answer.ts'
import { answerCount } from './upstream/answer-count.ts'
import { type AskParts, askChannels } from './upstream/ask-channels.ts'

interface ForwardParts extends AdmitParts, AskParts, SettleParts {
  readonly heartbeats: Heartbeats
  readonly clock: Clock
  readonly tick: Clock
  readonly log: Logger
}

export type Forwarder = ReturnType<typeof createForwarder>

/** The way of a request: admit it, ask its channels, settle, reply; a stream settles inside its reply. */
export function createForwarder(parts: ForwardParts) {
  const active = new Roster<Exchange>()
  let requestCount = 0
  let closed = false

  async function forward(call: ModelCall): Promise<Response> {
    const exchange = new Exchange(call, parts, active)
    requestCount++
    const { signal } = call.request
    try {
      if (closed) throw endedOutside()
      const admission = exchange.admission<Admitted>()
      void admit(parts, exchange, call, admission)
      const admitted = await admission.promise
      if (!signal.aborted) call.limitSilence(0) // models think in silence
      const reply = await replyOf(parts, exchange, admitted)
      if (!isStream(reply)) exchange.limitSilence()
      return toResponse(reply)
    } catch (error) {
      exchange.releaseAll()
      const reply = fail(parts, exchange, error)
      const isUntrusted = exchange.caller === undefined || reply.status === 401
      if (!(await dropRest(call.request, isUntrusted, error))) reply.headers.connection = 'close'
      return toResponse(reply)
    }
  }

  return {
    /** One request through all its steps; never throws: a failure is an answer, too. */
    forward,
    requestCount: (): number => requestCount,
    active: (): number => active.size,
    activeStreams(): number {
      let count = 0
      for (const { facts, answeredTick } of active.all()) {
        if (facts?.stream && answeredTick !== undefined) count++
      }
      return count
    },
    close(): void {
      closed = true
    },
    interruptAll(): void {
      for (const exchange of active.all()) exchange.interrupt('shutdown')
    },
  }
}

/** The reply to an admitted request; a slow stream gets heartbeats. */
function replyOf(parts: ForwardParts, exchange: Exchange, admitted: Admitted): Promise<Reply> {
  if (!admitted.body.facts.stream) return askAndReply(parts, exchange, admitted, noHeartbeat)
  const heartbeat = parts.heartbeats.begin(exchange.startedTick)
  return replyInTime(exchange, askAndReply(parts, exchange, admitted, heartbeat), heartbeat)
}

/** Asks for an answer and turns it into the reply; never rejects: a failure is a reply, too. */
async function askAndReply(
  parts: ForwardParts,
  exchange: Exchange,
  admitted: Admitted,
  heartbeat: Heartbeat,
): Promise<Reply> {
  let isAnswered = false
  try {
    const answer = await ask(parts, exchange, admitted)
    const storing = awaitReservation(parts, exchange, answer)
    if (storing) await storing
    isAnswered = true
    beginReply(parts, exchange)
    const settling = settleWhole(parts, exchange, answer)
    if (settling) await settling
    return replyTo(parts, exchange, answer, admitted.body, heartbeat)
  } catch (error) {
    heartbeat.stop()
    const hasLeft = !isAnswered && exchange.interruption === 'client_left'
    const isOwed = hasLeft && exchange.mayBill && !exchange.isDenied
    const isSettled = isOwed && (await settleWithoutAnswer(parts, exchange))
    exchange.releaseAll()
    // The client is gone, and the settlement has logged the end.
    if (isSettled) return errorReply(exchange, asGatewayError(error, parts.log, exchange.requestId))
    return fail(parts, exchange, error)
  }
}

/** The answer of the first channel that gives one; input counts fall back to the own tokenizer. */
function ask(parts: ForwardParts, exchange: Exchange, admitted: Admitted): Promise<Answer> {
  if (exchange.operation !== exchange.protocol.counting)
    return askChannels(parts, exchange, admitted)
  return answerCount(parts, exchange, admitted, () => askChannels(parts, exchange, admitted))
}

/** Waits until the reservation is stored: for a stream, and on a shared store for each charged answer. */
function awaitReservation(
  { committer }: ForwardParts,
  { reservation }: Exchange,
  answer: Answer,
): Promise<void> | undefined {
  if (answer.kind !== 'stream') {
    const isAwaited = committer.isShared && answer.kind !== 'refusal'
    return isAwaited ? reservation?.ensureStored() : undefined
  }
  return reservation?.ensureStored().catch((error: unknown) => {
    answer.finish('abandoned')
    throw error
  })
}

/** Charges a client that disconnected before its upstream answered; false: it is charged later. */
async function settleWithoutAnswer(parts: ForwardParts, exchange: Exchange): Promise<boolean> {
  const seen = createObservation()
  const isLost = !showsAll(exchange, seen)
  const causeText = isLost ? disconnectTexts.lost : disconnectTexts.seen
  const cause = 'client_left'
  const end: End = { ending: cause, status: clientClosedRequest, cause, causeText, isLost }
  const isStored = () => true
  return await settle(parts, exchange, end, seen, true).then(isStored, () => false)
}

/** Records a request that failed before its answer, at no cost, and makes its reply. */
function fail(parts: ForwardParts, exchange: Exchange, thrown: unknown): Reply {
  // A denied reservation, or what failed behind an answer, ended it before any interruption.
  const isEnded = exchange.isDenied || exchange.answeredTick !== undefined
  const interruption = isEnded ? undefined : exchange.interruption
  const error = asGatewayError(thrown, parts.log, exchange.requestId)
  const refused = error.status < 500 && error.kind !== 'channels_busy'
  recordUncharged(parts, exchange, {
    ending: interruption ?? (refused ? 'refused' : 'failed'),
    status: interruption === 'client_left' ? clientClosedRequest : error.status,
    cause: interruption ?? error.word,
    causeText: interruption ? null : error.message,
  })
  return errorReply(exchange, error)
}

const toResponse = ({ body, status, headers }: Reply): Response =>
  new Response(body as unknown as Bun.BodyInit, { status, headers })

/** The status that logs use for a client that did not wait; no client receives it. */
const clientClosedRequest = 499
