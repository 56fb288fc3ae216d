import { grouped } from '../../lib/format.ts'
import type { PriceTerms, TokenRates } from '../../store/ports/catalog.ts'
import type { StoredRequest } from '../../store/ports/records.ts'
import { chargedTier, contextTokens } from '../charge.ts'

/** The prices that a request is to be charged by, and why these. */
export interface TierChoice {
  readonly rates: TokenRates
  /** The tier's `above`; null for the base tier. */
  readonly above: number | null
  /** `base tier: 1,200 tokens of context, the next tier begins above 200,000`. */
  readonly reason: string
}

/** Chooses the tier anew, by the rule and not by what the record says. */
export function explainTier(
  terms: Extract<PriceTerms, { unit: 'tokens' }>,
  request: StoredRequest,
): TierChoice {
  const { tiers, base } = terms
  if (tiers.length === 0) {
    return { rates: base, above: null, reason: 'base tier: this price has no other' }
  }
  const { longContextPricing } = request
  if (!longContextPricing) {
    const reason = 'base tier: the group charges no long-context prices'
    return { rates: base, above: null, reason }
  }
  const tier = chargedTier(terms, { usage: request, longContextPricing })
  const context = contextTokens(request)
  const next = tiers.find(({ above }) => context <= above)
  const limit = next ? `, the next tier begins above ${grouped(next.above)}` : ''
  const above = tier?.above ?? null
  const reason = `${tierName(above)}: ${grouped(context)} tokens of context${limit}`
  return { rates: tier ?? base, above, reason }
}

/** `base tier`, `tier above 200,000`. */
export const tierName = (above: number | null): string =>
  above === null ? 'base tier' : `tier above ${grouped(above)}`
