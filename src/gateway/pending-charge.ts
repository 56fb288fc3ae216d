import type { ChargedPlan, Concluded } from './exchange.ts'

/**
 * What the charge for an answer is made from that is made in the background, and fetched later: plain
 * data without the request's body, so that it can be kept for long and any node can charge by it.
 */
export interface PendingCharge {
  /** Of the request that asked for the answer; that of the charge is made of it. */
  readonly requestId: string
  readonly startedAt: number
  readonly firstByteMs: number | null
  readonly model: string | undefined
  readonly upstreamModel: string | undefined
  readonly stream: boolean
  readonly calls: number
  /** Prices as they were when it was asked for. */
  readonly plan: ChargedPlan | undefined
}

/** Picks what a later charge needs of the exchange that has begun an answer. */
export function pendingCharge(exchange: Concluded): PendingCharge {
  const { requestId, startedAt, startedTick, firstByteTick, model, candidate, facts } = exchange
  return {
    ...{ requestId, startedAt, model, upstreamModel: candidate?.upstreamModel },
    firstByteMs: firstByteTick === undefined ? null : firstByteTick - startedTick,
    ...{ stream: facts?.stream ?? false, calls: facts?.calls ?? 1 },
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
