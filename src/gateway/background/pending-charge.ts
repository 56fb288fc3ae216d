import { type BackgroundAnswer, chargeSuffix } from '../../store/ports/answers.ts'
import type { Caller } from '../admit/authenticate.ts'
import { longestId } from '../admit/origins.ts'
import type { ChargedPlan, Concluded } from '../exchange.ts'
import { type UnreportedExtras, unreportedExtras } from '../money/asked-extras.ts'
import { answeredEnd, type End } from '../money/record.ts'

/** What the charge for a background answer is made from: plain data that any node can charge by. */
export interface PendingCharge {
  readonly startedAt: number
  readonly firstByteMs: number | null
  readonly model: string | undefined
  readonly upstreamModel: string | undefined
  readonly stream: boolean
  readonly calls: number
  /** The input that its reservation assumed, in LLM tokens. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The most it was estimated to cost, in nano-USD; nodes of former versions omit it. */
  readonly reckonedNano?: number | undefined
  readonly untold?: UnreportedExtras
  readonly plan: ChargedPlan | undefined
}

/** The request id of the charge, which makes it idempotent. */
const chargeIdOf = (requestId: string) => requestId + chargeSuffix

export const backgroundEnd = (requestId: string): End =>
  answeredEnd('background', null, chargedLater(chargeIdOf(requestId)))

const chargedLater = (chargeId: string) =>
  `The answer is made in the background; it is charged when it ends, by the request ${chargeId}.`

/** What is kept of an exchange that began an answer; undefined where the answer has no id. */
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
  const { startedAt, startedTick, answeredTick, model, candidate, facts, reservation } = exchange
  const untold = unreportedExtras(exchange)
  return {
    startedAt,
    model,
    upstreamModel: candidate?.upstreamModel,
    firstByteMs: answeredTick === undefined ? null : Math.round(answeredTick - startedTick),
    stream: facts?.stream ?? false,
    calls: facts?.calls ?? 1,
    reckonedNano: reservation?.boundNano,
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
