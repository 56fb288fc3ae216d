import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Observation } from '../protocols/canonical/observation.ts'
import type { Settlement } from '../store/ports/records.ts'
import type { Affinity } from './affinity.ts'
import type { Refusal } from './answer.ts'
import type { Authenticator, Caller } from './authenticate.ts'
import type { Availability } from './availability/availability.ts'
import { outcomeOf } from './availability/outcome.ts'
import type { Committer } from './committer.ts'
import { GatewayError } from './errors.ts'
import type { CountTokens } from './estimate.ts'
import type { Concluded } from './exchange.ts'
import { logExchange } from './exchange-log.ts'
import { shownError } from './hide-secrets.ts'
import {
  affordedTokens,
  balanceUsedUp,
  buildSettlement,
  type End,
  nothingUsed,
  type UsedTokens,
  usedTokens,
} from './record.ts'
import type { RefusalLimit } from './refusal-limit.ts'
import type { Reservations } from './reservations.ts'

export interface ConcludeParts {
  readonly committer: Committer
  readonly reservations: Reservations
  /** A caller as it is known now. */
  readonly currentCaller: Authenticator['current']
  readonly affinity: Affinity
  readonly refusals: RefusalLimit
  readonly countTokens: CountTokens
  readonly availability: Pick<Availability, 'record'>
  /** Monotonic, in milliseconds. */
  readonly tick: Clock
  readonly log: Logger
}

/** Charges and stores an answer; rejects with a `GatewayError` when it could not be stored. */
export async function settle(
  parts: ConcludeParts,
  exchange: Concluded,
  end: End,
  seen: Observation,
  isDelivered = false,
): Promise<void> {
  const { caller, operation } = exchange
  if (caller) rememberOrigin(parts, exchange, caller, seen)
  if (!operation.charged || caller === undefined) {
    return logExchange(parts.log, exchange, end, undefined, parts.tick())
  }
  try {
    const coming = seen.pending ? nothingUsed : usedTokens(exchange, seen, parts.countTokens)
    const counted = coming instanceof Promise ? await coming : coming
    const used =
      end.cause === balanceUsedUp
        ? affordedTokens(exchange, counted, parts.reservations.heldFor(exchange.requestId))
        : counted
    exchange.usedLlmTokens = llmTokens(used)
    const settlement = buildSettlement(exchange, caller, end, used, seen, parts.tick())
    if (used.clamped) warnOfClamp(parts, exchange, settlement)
    const failed = () =>
      buildSettlement(exchange, caller, notStored, nothingUsed, undefined, parts.tick())
    await store(parts, settlement, failed, isDelivered)
    note(parts, exchange, end, used.usage.outputTokens)
    logExchange(parts.log, exchange, end, settlement.request, parts.tick())
  } catch (error) {
    parts.log.error('request not settled', {
      request_id: exchange.requestId,
      error: error instanceof Error ? error.message : String(error),
    })
    // Of a whole answer the client is told by an error that is concluded by itself.
    if (exchange.facts?.stream) note(parts, exchange, notStored, 0)
    throw new GatewayError('internal', 'The gateway could not store this request. Try again.', {
      cause: error,
    })
  }
}

/** All that a request counts for in a limit of LLM tokens. */
function llmTokens({ usage }: UsedTokens): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens
}

/** Tells of a request's end what the status page is made from. */
function note(parts: ConcludeParts, exchange: Concluded, end: End, outputTokens: number): void {
  const outcome = outcomeOf(exchange, end, outputTokens, parts.tick())
  if (outcome) parts.availability.record(outcome)
}

/** An operator must know of an upstream whose reports can't be true. */
function warnOfClamp({ log }: ConcludeParts, exchange: Concluded, { request }: Settlement): void {
  log.warn('the upstream reported more usage than its model can hold; charged up to that', {
    request_id: request.requestId,
    channel: exchange.candidate?.channel.name,
    model: request.model,
    context_window: exchange.plan?.offer.contextWindow,
    usage_raw: request.usageRaw,
  })
}

/**
 * What the client has a part of is charged even when it can be stored only later; what it gets
 * nothing of is recorded then as what it was told.
 */
async function store(
  { committer }: ConcludeParts,
  settlement: Settlement,
  failed: () => Settlement,
  isDelivered: boolean,
) {
  try {
    await committer.settle(settlement)
  } catch (error) {
    committer.keep(isDelivered ? settlement : failed())
    throw error
  }
}

const notStored: End = {
  ending: 'failed',
  status: 500,
  cause: 'internal',
  causeText: 'The gateway could not store this request in time.',
}

/** An answer that can be continued or fetched by its id belongs to the channel that made it. */
function rememberOrigin(
  parts: ConcludeParts,
  exchange: Concluded,
  caller: Caller,
  seen: Observation,
): void {
  const { candidate, operation, route, upstreamKey } = exchange
  if (candidate === undefined || upstreamKey === undefined || seen.answerId === undefined) return
  // The client was given ids of the gateway's own: nothing can be asked for by them.
  if (route?.translation !== undefined) return
  const origin = { channelId: candidate.channel.id, key: upstreamKey }
  for (const id of seen.partIds) parts.affinity.remember(caller.token.id, id, origin)
  if (!seen.pending) {
    parts.affinity.remember(caller.token.id, seen.answerId, origin)
    return
  }
  let charging: Promise<void> | undefined
  // What is kept for a day must not hold the request's body.
  const { startedTick, plan, facts, model, protocol, startedAt, firstByteTick } = exchange
  const kept = {
    caller,
    candidate: { channel: candidate.channel, upstreamModel: candidate.upstreamModel },
    upstreamKey,
    route,
    operation,
    startedTick,
    plan,
    model,
    protocol,
    startedAt,
  }
  const { stream = false, calls = 1 } = facts ?? {}
  const keptFacts = {
    stream,
    calls,
    model,
    continues: [],
    amend: {},
    answers: 1,
    maxOutputTokens: null,
    takesTurns: true,
    text: () => '',
    media: () => ({ tokens: 0, bytes: 0 }),
  }
  // How well it was served was told when it began.
  const uncounted = { ...parts, availability: { record() {} } }
  const chargeFetched = async (body: unknown, requestId: string) => {
    const observer = operation.createObserver()
    observer.pushBody(body)
    if (observer.seen.pending) return
    // A record of its own: the request that began the answer has one already, uncharged.
    const fetched: Concluded = {
      ...kept,
      firstByteTick,
      facts: keptFacts,
      requestId,
      attempts: [],
      usedLlmTokens: 0,
      fault: undefined,
      interruption: undefined,
    }
    charging ??= settle(uncounted, fetched, bodyEnd(fetched, observer.seen), observer.seen)
    try {
      await charging
    } catch (error) {
      charging = undefined // not stored: the next fetch tries again
      throw error
    }
  }
  parts.affinity.remember(caller.token.id, seen.answerId, { ...origin, chargeFetched })
}

/** Records and logs an exchange that used nothing; nobody waits for it. */
export function conclude(parts: ConcludeParts, exchange: Concluded, end: End): void {
  const { caller, operation } = exchange
  const now = parts.tick()
  note(parts, exchange, end, 0)
  const isKept = end.ending !== 'refused' || parts.refusals.admit(caller?.token.id, now)
  if (operation.charged && caller && isKept) {
    const settlement = buildSettlement(exchange, caller, end, nothingUsed, undefined, now)
    parts.committer.record(settlement)
  } else if (parts.reservations.isOpen(exchange.requestId)) {
    parts.committer.release(exchange.requestId)
  }
  logExchange(parts.log, exchange, end, undefined, now)
}

/** How an unstreamed answer ended. */
export function bodyEnd(exchange: Concluded, seen: Observation): End {
  if (exchange.interruption === 'client_left') {
    return { ending: 'client_left', status: 200, cause: 'client_left', causeText: null }
  }
  if (seen.outcome !== 'failed') {
    return { ending: seen.outcome ?? 'complete', status: 200, cause: null, causeText: null }
  }
  return {
    ending: 'failed',
    status: 200,
    cause: 'upstream_error',
    causeText: shownError(exchange, seen) ?? 'The upstream reported an error in its answer.',
  }
}

/** The end of a request that the upstream refused; its message, shortened, is for the caller's record. */
export function refusalEnd({ status, bytes }: Refusal): End {
  const text = new TextDecoder().decode(bytes)
  const message = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
  const causeText = (message ? String(JSON.parse(message)) : text).slice(0, 500)
  return { ending: 'refused', status, cause: 'upstream_refused', causeText }
}
