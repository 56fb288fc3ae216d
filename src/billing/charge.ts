import type { PriceTerms, TokenRates } from '../store/ports/catalog.ts'
import type { UsageExtras, VendorExtras } from '../store/ports/extras.ts'
import type { TokenCounts } from '../store/ports/records.ts'
import { type ChargeLine, sumLines, tierFactors, tokenLines, toolLines } from './lines.ts'

/** Disjoint counts of LLM tokens that a charge is made from. */
export interface ChargedUsage extends Omit<TokenCounts, 'reasoningTokens'> {
  readonly extras?: UsageExtras | undefined
}

export interface ChargeBasis {
  readonly terms: PriceTerms
  readonly usage: ChargedUsage
  readonly calls: number
  readonly multiplierMillionths: number
  /** False: the base tier applies at any context length. */
  readonly longContextPricing: boolean
  readonly vendor?: VendorExtras | undefined
}

export interface Charge {
  readonly amountNano: number
  /** The tier's `above`; null for the base tier and for prices without tiers. */
  readonly tierAbove: number | null
}

/** What a request costs, in nano-USD: integers, rounded half up once. Throws without a price. */
export function charge(basis: ChargeBasis): Charge {
  const { terms, usage } = basis
  if (usage.extras !== undefined) return chargeWithExtras(basis, usage.extras)
  switch (terms.unit) {
    case 'free':
      return { amountNano: 0, tierAbove: null }
    case 'call': {
      const nano = BigInt(terms.perCallNano) * BigInt(basis.calls)
      const product = nano * BigInt(basis.multiplierMillionths)
      return { amountNano: roundHalfUp(product, 1_000_000n), tierAbove: null }
    }
    case 'tokens': {
      const tier = chargedTier(terms, basis)
      const rates = effectiveRates(tier ?? terms.base)
      const micro = microTimesTokens(rates, basis.usage)
      const amountNano = timesMillionths(micro, basis.multiplierMillionths)
      return { amountNano, tierAbove: tier?.above ?? null }
    }
    case 'none':
      throw new Error('charged by a price that was removed')
  }
}

/** The charge when something besides text tokens is billed: tools, modalities, service tiers. */
function chargeWithExtras(basis: ChargeBasis, extras: UsageExtras): Charge {
  const { terms, usage, vendor } = basis
  if (terms.unit === 'free' || terms.unit === 'none')
    return charge({ ...basis, usage: { ...usage, extras: undefined } })
  const tier = terms.unit === 'tokens' ? chargedTier(terms, basis) : undefined
  const { value, scale } = sumLines(
    [...paidLines(basis, terms, tier), ...toolLines(terms, extras, vendor)],
    tierFactors(terms, extras, vendor),
  )
  const product = value * BigInt(basis.multiplierMillionths)
  const amountNano = roundHalfUp(product, 1_000_000_000n * scale)
  return { amountNano, tierAbove: tier?.above ?? null }
}

/** Charge lines for tokens or calls, at the rates of a tier or of the base. */
export function paidLines(
  { usage, calls, vendor }: Pick<ChargeBasis, 'usage' | 'calls' | 'vendor'>,
  terms: Extract<PriceTerms, { unit: 'tokens' | 'call' }>,
  tier: TokenRates | undefined,
): readonly ChargeLine[] {
  if (terms.unit === 'call')
    return [{ name: 'calls', unit: 'call', count: calls, price: terms.perCallNano }]
  const { base } = terms
  const rates = tier ?? base
  return tokenLines(effectiveRates(rates), usage, { rates, base, vendor })
}

export type TextRates = Record<Exclude<keyof TokenRates, 'modalities'>, number>

/** The five prices as charged: a missing cache price falls back. */
export function effectiveRates(rates: TokenRates): TextRates {
  const cacheWrite = rates.cacheWrite ?? rates.input
  return {
    input: rates.input,
    output: rates.output,
    cacheRead: rates.cacheRead ?? rates.input,
    cacheWrite,
    cacheWrite1h: rates.cacheWrite1h ?? cacheWrite,
  }
}

/** The whole context, cached or not: it selects the tier. */
export function contextTokens(usage: ChargedUsage): number {
  return (
    usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.cacheWrite1hTokens
  )
}

/** The highest tier whose `above` the context exceeds; exactly `above` still belongs to the tier below. */
export function chargedTier(
  terms: Extract<PriceTerms, { unit: 'tokens' }>,
  { usage, longContextPricing }: Pick<ChargeBasis, 'usage' | 'longContextPricing'>,
) {
  if (!longContextPricing) return undefined
  const context = contextTokens(usage)
  return terms.tiers.findLast((tier) => context > tier.above)
}

/** The sum of rates × tokens: a number while it is exact, else a bigint. */
function microTimesTokens(rates: TextRates, usage: ChargedUsage): number | bigint {
  const micro =
    rates.input * usage.inputTokens +
    rates.output * usage.outputTokens +
    rates.cacheRead * usage.cacheReadTokens +
    rates.cacheWrite * usage.cacheWriteTokens +
    rates.cacheWrite1h * usage.cacheWrite1hTokens
  if (Number.isSafeInteger(micro)) return micro
  return (
    BigInt(rates.input) * BigInt(usage.inputTokens) +
    BigInt(rates.output) * BigInt(usage.outputTokens) +
    BigInt(rates.cacheRead) * BigInt(usage.cacheReadTokens) +
    BigInt(rates.cacheWrite) * BigInt(usage.cacheWriteTokens) +
    BigInt(rates.cacheWrite1h) * BigInt(usage.cacheWrite1hTokens)
  )
}

/** micro-USD per 1M tokens × tokens × millionths = 10⁻¹⁸ USD; a nano-USD is 10⁹ of that. */
function timesMillionths(micro: number | bigint, multiplierMillionths: number): number {
  if (multiplierMillionths === 1_000_000 && typeof micro === 'number') {
    const rest = micro % 1_000
    return (micro - rest) / 1_000 + (rest >= 500 ? 1 : 0)
  }
  return roundHalfUp(BigInt(micro) * BigInt(multiplierMillionths), 1_000_000_000n)
}

function roundHalfUp(product: bigint, unit: bigint): number {
  const amount = Number((product + unit / 2n) / unit)
  if (!Number.isSafeInteger(amount)) throw new RangeError('charge exceeds the safe integer range')
  return amount
}
