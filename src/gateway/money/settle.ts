import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/failure.ts'
import type { Logger } from '../../lib/log.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import type { KeptAnswer } from '../../store/ports/answers.ts'
import type { Settlement } from '../../store/ports/records.ts'
import { UnansweredError } from '../../store/ports/store-error.ts'
import type { Authenticator, Caller } from '../admit/authenticate.ts'
import { idsOf, type Origins } from '../admit/origins.ts'
import { type Availability, outcomeOf } from '../availability/availability.ts'
import { backgroundAnswer, backgroundEnd } from '../background/pending-charge.ts'
import { requestNotStored } from '../errors.ts'
import type { Concluded } from '../exchange.ts'
import { logExchange, type RefusalLimit, type RefusalLog } from '../request-log.ts'
import type { Committer } from './committer.ts'
import type { CountTokens } from './estimate.ts'
import {
  affordedTokens,
  balanceUsedUp,
  buildSettlement,
  type End,
  nothingUsed,
  reservedTokens,
  type UsedTokens,
  usedTokens,
} from './record.ts'
import type { Reservations } from './reservations.ts'

export interface SettleParts {
  readonly committer: Committer
  readonly reservations: Reservations
  readonly currentCaller: Authenticator['current']
  readonly origins: Origins
  readonly refusals: RefusalLimit
  readonly refusalLog?: RefusalLog | undefined
  readonly countTokens: CountTokens
  readonly availability: Pick<Availability, 'record'>
  readonly tick: Clock
  readonly log: Logger
}

/**
 * Charges and stores an answer. `chargesLate`: what can't be stored now is charged later, for a part was
 * delivered, the client left, or the answer can't be passed on.
 */
export async function settle(
  parts: SettleParts,
  exchange: Concluded,
  end: End,
  seen: Observation,
  chargesLate = false,
): Promise<void> {
  const { caller, operation } = exchange
  if (!operation.charged || caller === undefined) {
    return logExchange(parts.log, exchange, end, undefined, parts.tick())
  }
  try {
    const begun = seen.pending
      ? backgroundAnswer(exchange, caller, seen.answerId, parts.origins.keyMark)
      : undefined
    // The same commit moves the reservation to the background answer.
    if (begun) await ensureStored(parts, exchange)
    const coming = begun ? nothingUsed : usedTokensAt(end, exchange, seen, parts.countTokens)
    const counted = coming instanceof Promise ? await coming : coming
    // A background answer without an id can't be fetched: its usage will stay unknown.
    const billedEnd = seen.pending ? { ...end, isLost: true } : end
    const used = begun ? counted : charged(parts, exchange, billedEnd, counted)
    exchange.usedLlmTokens = llmTokens(used)
    exchange.usage = used.usage
    const kept = rememberOrigin(parts, exchange, caller, seen)
    const recordedEnd = begun ? backgroundEnd(exchange.requestId) : end
    const built = buildSettlement(exchange, caller, recordedEnd, used, seen, parts.tick())
    const overrun = parts.reservations.overrunOf(built.request, exchange.reservation?.boundNano)
    const settlement: Settlement =
      begun || kept.length > 0 || overrun
        ? {
            ...built,
            ...(begun && { begun }),
            ...(kept.length > 0 && { kept }),
            ...(overrun && { overrun }),
          }
        : built
    if (used.clamped) warnOfClamp(parts, exchange, settlement)
    try {
      await parts.committer.settle(settlement)
      exchange.isCharged = true
    } catch (error) {
      // A background answer is charged whatever the client does; so is a disconnect meanwhile.
      exchange.isCharged =
        chargesLate || begun !== undefined || exchange.interruption === 'client_left'
      keepUnstored(parts, exchange, caller, settlement, error)
      throw error
    }
    const keeping = exchange.keeping?.settled()
    if (keeping) await keeping
    countAvailability(parts, exchange, end, used.usage.outputTokens)
    logExchange(parts.log, exchange, recordedEnd, settlement.request, parts.tick())
  } catch (error) {
    parts.log.error('request not settled', {
      request_id: exchange.requestId,
      error: messageOf(error),
    })
    // The client of a whole answer gets an error, which `fail` records.
    if (exchange.facts?.stream) countAvailability(parts, exchange, notStored, 0)
    throw requestNotStored(error)
  }
}

async function ensureStored({ reservations }: SettleParts, exchange: Concluded): Promise<void> {
  await exchange.reservation?.ensureStored().catch(() => {})
  // Without it nothing is reserved, and what it costs is charged all the same.
  await reservations.uncover(exchange.requestId).catch(() => {})
}

/** The input was read for a client that left or ran out of money, and for an answer that a stop sequence ended. */
function usedTokensAt(
  { cause, isStopped }: End,
  exchange: Concluded,
  seen: Observation,
  count: CountTokens,
): UsedTokens | Promise<UsedTokens> {
  const isInputRead =
    isStopped || cause === balanceUsedUp || exchange.interruption === 'client_left'
  return usedTokens(exchange, seen, count, isInputRead)
}

function charged(
  { reservations }: SettleParts,
  exchange: Concluded,
  { isCapped, isLost }: End,
  counted: UsedTokens,
): UsedTokens {
  if (!isLost && !isCapped) return counted
  const heldNano = reservations.heldFor(exchange.requestId)
  const tokensFor = isLost ? reservedTokens : affordedTokens
  return tokensFor(exchange, counted, heldNano)
}

/** The LLM tokens that count for a limit. */
export function llmTokens({ usage }: UsedTokens): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens
}

/** Counts a request's end for the status page. */
function countAvailability(
  parts: SettleParts,
  exchange: Concluded,
  end: End,
  outputTokens: number,
): void {
  const outcome = outcomeOf(exchange, end, outputTokens, parts.tick())
  if (outcome) parts.availability.record(outcome)
}

/** Warns the operator of an upstream whose usage reports can't be true. */
export function warnOfClamp(
  { log }: Pick<SettleParts, 'log'>,
  exchange: Concluded,
  { request }: Settlement,
): void {
  log.warn('the upstream reported more usage than its model can hold; charged up to that', {
    request_id: request.requestId,
    channel: exchange.candidate?.channel.name,
    model: request.model,
    context_window: exchange.plan?.offer.contextWindow,
    usage_raw: request.usageRaw,
  })
}

/** Stores a charge later, or, where the client gets an error instead, the record of that. */
function keepUnstored(
  { committer, log, tick }: SettleParts,
  exchange: Concluded,
  caller: Caller,
  settlement: Settlement,
  error: unknown,
): void {
  const failed = () => buildSettlement(exchange, caller, notStored, nothingUsed, undefined, tick())
  committer.keep(exchange.isCharged ? settlement : failed())
  if (!exchange.isCharged && error instanceof UnansweredError)
    log.error('the client got an error, but may be charged: its commit was not answered', {
      request_id: settlement.request.requestId,
    })
}

const notStored: End = {
  ending: 'failed',
  status: 500,
  cause: 'internal',
  causeText: 'The gateway could not store this request in time.',
}

/** Binds an answer that can be continued to its account and channel. Returns what to store. */
function rememberOrigin(
  { origins }: SettleParts,
  exchange: Concluded,
  { account }: Caller,
  seen: Observation,
): readonly KeptAnswer[] {
  const { candidate, route, upstreamKey, facts, startedAt, usedLlmTokens: contextTokens } = exchange
  const { answerId, partIds, pending } = seen
  if (candidate === undefined || upstreamKey === undefined || answerId === undefined) return []
  // The client got ids of the gateway's own: the upstream does not know them.
  if (route?.translation !== undefined) return []
  const channelId = candidate.channel.id
  const origin = { channelId, key: upstreamKey, contextTokens }
  const ids = idsOf(answerId, partIds)
  for (const id of ids) origins.remember(account.id, id, origin)
  if (pending) origins.remember(account.id, answerId, { ...origin, isPending: true })
  // A vendor that keeps nothing has no parts to refer to.
  if (!pending && partIds.size === 0 && !facts?.keepsAnswer) return []
  const keyMark = origins.keyMark(upstreamKey)
  const row = { accountId: account.id, channelId, keyMark, contextTokens, createdAt: startedAt }
  return ids.map((id) => ({ id, ...row }))
}

/** Logs an exchange without usage, and records it in the background unless it is charged. */
export function recordUncharged(parts: SettleParts, exchange: Concluded, end: End): void {
  const { caller, operation } = exchange
  const now = parts.tick()
  countAvailability(parts, exchange, end, 0)
  const isRecorded = end.ending !== 'refused' || parts.refusals.admit(caller?.token.id, now)
  if (exchange.isCharged) {
    // In place of the charge, this record would hide it.
  } else if (operation.charged && caller && isRecorded) {
    const settlement = buildSettlement(exchange, caller, end, nothingUsed, undefined, now)
    parts.committer.record(settlement)
  } else if (parts.reservations.holds(exchange.requestId)) {
    parts.committer.release(exchange.requestId)
  }
  if (end.ending !== 'refused' || isSingle(parts, exchange, end)) {
    logExchange(parts.log, exchange, end, undefined, now)
  }
}

function isSingle({ refusalLog }: SettleParts, exchange: Concluded, end: End): boolean {
  if (refusalLog === undefined) return true
  const { caller } = exchange
  const token = caller && { ...caller.token, account: caller.account.email }
  return refusalLog.isSingle({
    cause: end.cause ?? '',
    status: end.status,
    token,
    address: () => exchange.address?.() ?? '',
  })
}
