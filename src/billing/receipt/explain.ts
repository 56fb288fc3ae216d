import type { ReceiptRows, StoredRequest } from '../../store/ports/records.ts'
import { effectiveRates } from '../charge.ts'
import { recordedUsage } from '../extras.ts'
import {
  type ChargeLine,
  sumLines,
  type TierFactor,
  tierFactors,
  tokenLines,
  toolLines,
} from '../lines.ts'
import { formatDecimal, multiplierDecimals } from '../money.ts'
import { explainTier, type TierChoice } from './tier.ts'

/** How an amount came about. */
export interface Explanation {
  readonly unit: 'tokens' | 'call' | 'free'
  /** All kinds of text tokens, also those that did not occur; empty for a free model. */
  readonly lines: readonly ChargeLine[]
  /** Service tiers, which tokens and calls are multiplied by; tools are not. */
  readonly factors: readonly TierFactor[]
  /** Null unless the price is one for tokens. */
  readonly tier: TierChoice | null
  /** `(120 × 250000 + 40 × 2000000) × 0.8 / 1000 = 88000 nano-USD`. */
  readonly formula: string
  /** What the formula comes to. */
  readonly amountNano: bigint
}

const free: Explanation = {
  unit: 'free',
  lines: [],
  factors: [],
  tier: null,
  formula: 'free = 0 nano-USD',
  amountNano: 0n,
}

/**
 * Explains a charge by price, counts and multiplier on record; null when no price applied. Tier and
 * result are worked out anew: where they differ from the record, `findDifferences` says so.
 */
export function explainCharge({ request, price }: ReceiptRows): Explanation | null {
  const terms = price?.terms
  if (terms === undefined || terms.unit === 'none') return null
  if (terms.unit === 'free') return free
  const { usage, vendor } = recordedUsage(request)
  const { extras = {} } = usage
  const factors = tierFactors(terms, extras, vendor)
  const tools = toolLines(terms, extras, vendor)
  if (terms.unit === 'call') {
    const calls = { name: 'calls', unit: 'call', count: request.calls, price: terms.perCallNano }
    return {
      unit: 'call',
      tier: null,
      ...worked(request, [calls as ChargeLine, ...tools], factors),
    }
  }
  const tier = explainTier(terms, request)
  const { rates } = tier
  const tokens = tokenLines(effectiveRates(rates), usage, { rates, base: terms.base, vendor })
  return { unit: 'tokens', tier, ...worked(request, [...tokens, ...tools], factors) }
}

function worked(
  request: StoredRequest,
  lines: readonly ChargeLine[],
  factors: readonly TierFactor[],
): Pick<Explanation, 'lines' | 'factors' | 'formula' | 'amountNano'> {
  const { value } = sumLines(lines, factors)
  const exact = value * BigInt(request.multiplierMillionths)
  // 10⁻¹⁸ USD, with six more places for each factor.
  const { amountNano, text } = roundHalfUp(exact, 9 + 6 * factors.length)
  const formula = `${formulaOf(request, lines, factors)} = ${text}`
  return { lines, factors, formula, amountNano }
}

/** `(120 × 250000 + 40 × 2000000) × 0.8 / 1000`, with extras `((…) × 6 / 1000 + 3 × 10000000) × 0.8`. */
function formulaOf(
  request: StoredRequest,
  lines: readonly ChargeLine[],
  factors: readonly TierFactor[],
): string {
  const sum = (chosen: readonly ChargeLine[]) =>
    chosen
      .filter(({ count, unit }) => count > 0 || unit === 'call')
      .map(({ count, price }) => `${count} × ${price}`)
      .join(' + ')
  const isTokens = lines.some(({ unit }) => unit === 'tokens')
  const tools = sum(lines.filter(({ unit }) => unit === 'use'))
  const paid = sum(lines.filter(({ unit }) => unit !== 'use')) || '0'
  const tiers = factors.map(({ millionths }) => ` × ${formatDecimal(millionths, 6)}`).join('')
  const multiplier = multiplierOf(request)
  const base = `${isTokens ? `(${paid})` : paid}${tiers}`
  const perThousand = isTokens ? ' / 1000' : ''
  return tools === ''
    ? `${base} × ${multiplier}${perThousand}`
    : `(${base}${perThousand} + ${tools}) × ${multiplier}`
}

/** The group's multiplier as people write it: `0.8`. */
export const multiplierOf = ({ multiplierMillionths }: StoredRequest): string =>
  formatDecimal(multiplierMillionths, multiplierDecimals)

/** The amount in nano-USD, and the exact value before it where rounding changed it. */
function roundHalfUp(exact: bigint, decimals: number) {
  const unit = 10n ** BigInt(decimals)
  const amountNano = (exact + unit / 2n) / unit
  const amount = `${amountNano} nano-USD`
  const isWhole = exact % unit === 0n
  const text = isWhole ? amount : `${formatDecimal(exact, decimals)}, rounded half up to ${amount}`
  return { amountNano, text }
}
