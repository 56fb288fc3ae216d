import { type BackgroundAnswer, chargeSuffix } from '../../store/ports/answers.ts'
import { longestId } from '../admit/affinity.ts'
import type { Caller } from '../admit/authenticate.ts'
import { type UntoldExtras, untoldExtras } from '../admit/gate.ts'
import type { ChargedPlan, Concluded } from '../exchange.ts'
import type { End } from '../money/record.ts'

/** What the charge for a background answer is made from: plain data that any node can charge by. */
export interface PendingCharge {
  readonly startedAt: number
  readonly firstByteMs: number | null
  readonly model: string | undefined
  readonly upstreamModel: string | undefined
  readonly stream: boolean
  readonly calls: number
  /** What its reservation was reckoned with, in LLM tokens. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** What it was reckoned to come to at the most, in nano-USD; nodes of former versions do not say it. */
  readonly reckonedNano?: number | undefined
  /** What was asked for that its end may not tell of. */
  readonly untold?: UntoldExtras
  /** Prices as they were when it was asked for. */
  readonly plan: ChargedPlan | undefined
}

/** The request id of the charge: however often and by whichever nodes it is made, it is one. */
const chargeIdOf = (requestId: string) => requestId + chargeSuffix

/** How the request ended that has begun such an answer. */
export const backgroundEnd = (requestId: string): End => ({
  ending: 'background',
  status: 200,
  cause: null,
  causeText:
    'The answer is made in the background; it is charged when it ends, by the request ' +
    `${chargeIdOf(requestId)}.`,
})

/** What is kept of an exchange that has begun an answer; undefined where it has no id to ask for. */
export function backgroundAnswer(
  exchange: Concluded,
  { account, token }: Caller,
  answerId: string | undefined,
  keyMark: (key: string) => string,
): BackgroundAnswer | undefined {
  const { requestId, candidate, upstreamKey, startedAt } = exchange
  if (candidate === undefined || upstreamKey === undefined) return undefined
  if (answerId === undefined || answerId.length > longestId) return undefined
  return {
    requestId: chargeIdOf(requestId),
    askedId: requestId,
    answerId,
    createdAt: startedAt,
    accountId: account.id,
    tokenId: token.id,
    channelId: candidate.channel.id,
    keyMark: keyMark(upstreamKey),
    charge: JSON.stringify(pendingCharge(exchange)),
  }
}

function pendingCharge(exchange: Concluded): PendingCharge {
  const { startedAt, startedTick, firstByteTick, model, candidate, facts, reservation } = exchange
  const untold = untoldExtras(exchange)
  return {
    ...{ startedAt, model, upstreamModel: candidate?.upstreamModel },
    firstByteMs: firstByteTick === undefined ? null : Math.round(firstByteTick - startedTick),
    ...{ stream: facts?.stream ?? false, calls: facts?.calls ?? 1 },
    reckonedNano: reservation?.reckonedNano,
    inputTokens: reservation?.inputTokens ?? 0,
    outputTokens: reservation?.outputTokens ?? 0,
    ...(untold && { untold }),
    plan: exchange.plan && withoutRest(exchange.plan),
  }
}

function withoutRest({ group, offer }: ChargedPlan): ChargedPlan {
  const { id, name, multiplierMillionths, longContextPricing } = group
  const { model, contextWindow, price } = offer
  return {
    group: { id, name, multiplierMillionths, longContextPricing },
    offer: { model, contextWindow, price: { id: price.id, terms: price.terms } },
  }
}
