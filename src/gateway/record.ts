import { charge } from '../billing/charge.ts'
import type { Observation } from '../protocols/canonical/observation.ts'
import { emptyUsage, type Usage } from '../protocols/canonical/usage.ts'
import type { Ending, Settlement } from '../store/ports/records.ts'
import type { Caller } from './authenticate.ts'
import { type CountTokens, estimateTokens } from './estimate.ts'
import type { Concluded } from './exchange.ts'

/** How an exchange ended. */
export interface End {
  readonly ending: Ending
  /** HTTP status that the client got, or would have got. */
  readonly status: number
  /** Machine word of what went wrong; null when nothing did. */
  readonly cause: string | null
  /** The same for a person. */
  readonly causeText: string | null
}

/** What an ended exchange used, and whether that is the upstream's word or our count. */
export interface UsedTokens {
  readonly usage: Usage
  readonly estimated: boolean
  /** Calls to charge by a price per call. */
  readonly calls: number
}

export const nothingUsed: UsedTokens = { usage: emptyUsage, estimated: false, calls: 0 }

/**
 * What to charge for. The upstream's report counts; where there is none, or the answer broke off
 * before the final one, what was delivered is counted here and marked as estimated. Nothing
 * delivered and nothing reported is nothing used.
 */
export async function usedTokens(
  exchange: Concluded,
  seen: Observation,
  count: CountTokens,
): Promise<UsedTokens> {
  const { usage, text, outcome } = seen
  const answered = outcome === 'complete' || outcome === 'incomplete'
  // A client that leaves once the answer has begun has made the upstream read all that it asked.
  const begunFor = exchange.interruption === 'client_left' && exchange.firstByteTick !== undefined
  const delivered = answered || text.length > 0 || usage !== undefined || begunFor
  const calls = delivered ? (exchange.facts?.calls ?? 1) : 0
  if (usage !== undefined && (outcome !== undefined || text.length === 0)) {
    return { usage, estimated: false, calls }
  }
  if (!delivered) return nothingUsed
  const outputTokens = await estimateTokens(text.sample, text.length, count)
  if (usage !== undefined) {
    // Messages reports its input first and its output last; a stream cut in between has only the
    // first report, whose output count is a placeholder.
    const estimated = outputTokens > usage.outputTokens
    return estimated
      ? { usage: { ...usage, outputTokens }, estimated, calls }
      : { usage, estimated, calls }
  }
  const asked = exchange.facts?.text() ?? ''
  const inputTokens = await estimateTokens(asked, asked.length, count)
  return { usage: { ...emptyUsage, inputTokens, outputTokens }, estimated: true, calls }
}

/** What went wrong is told in a sentence; what quotes a body may be of any length. */
const maxCauseLength = 500

/** A model name that nobody offers can be of any length; records keep its beginning. */
const maxModelLength = 200

/** The rows of an ended exchange whose caller is known, with its charge. */
export function buildSettlement(
  exchange: Concluded,
  caller: Caller,
  end: End,
  used: UsedTokens,
  seen: Observation | undefined,
  nowTick: number,
): Settlement {
  const { plan, operation, candidate, firstByteTick, startedTick } = exchange
  const { usage } = used
  const multiplierMillionths = plan?.group.multiplierMillionths ?? 1_000_000
  const charged =
    plan === undefined
      ? { amountNano: 0, tierAbove: null }
      : charge({
          terms: plan.offer.price.terms,
          usage,
          calls: used.calls,
          multiplierMillionths,
          longContextPricing: plan.group.longContextPricing,
        })
  return {
    request: {
      requestId: exchange.requestId,
      createdAt: exchange.startedAt,
      accountId: caller.account.id,
      tokenId: caller.token.id,
      groupId: caller.token.groupId,
      model: exchange.model?.slice(0, maxModelLength) ?? null,
      upstreamModel: candidate?.upstreamModel ?? null,
      channelId: candidate?.channel.id ?? null,
      clientProtocol: operation.protocol,
      upstreamProtocol: candidate ? operation.protocol : null,
      operation: operation.name,
      stream: exchange.facts?.stream ?? false,
      ...end,
      causeText: end.causeText?.slice(0, maxCauseLength) ?? null,
      ...usage,
      calls: used.calls,
      estimated: used.estimated,
      clamped: false,
      usageRaw: seen?.usageRaw === undefined ? null : JSON.stringify(seen.usageRaw),
      priceId: plan?.offer.price.id ?? null,
      ...charged,
      longContextPricing: plan?.group.longContextPricing ?? true,
      multiplierMillionths,
      firstByteMs: firstByteTick === undefined ? null : Math.round(firstByteTick - startedTick),
      durationMs: Math.round(nowTick - startedTick),
    },
    attempts: exchange.attempts,
  }
}
