import type { PriceTerms } from '../store/ports/catalog.ts'
import { modalityKinds, type UsageExtras, type VendorExtras } from '../store/ports/extras.ts'
import type { ChargedUsage, TextRates } from './charge.ts'
import {
  modalityRate,
  partOf,
  type RateSources,
  tierFactor,
  tierWords,
  toolPrice,
} from './extras.ts'
import { formatDecimal, formatNano, nanoDecimals, priceDecimals } from './money.ts'

/** One factor of a charge: micro-USD per 1M tokens, or nano-USD per call or use of a tool. */
export interface ChargeLine {
  readonly name: string
  readonly unit: 'tokens' | 'call' | 'use'
  readonly count: number
  readonly price: number
}

/** Every kind of text token, and each other kind that occurred: each token is on exactly one line. */
export function tokenLines(
  text: TextRates,
  usage: ChargedUsage,
  from?: Omit<RateSources, 'text'>,
): readonly ChargeLine[] {
  const { modalities } = usage.extras ?? {}
  const rest = { ...usage }
  const others: ChargeLine[] = []
  for (const kind of from && modalities ? modalityKinds : []) {
    const { tokens } = partOf(kind)
    const count = Math.min(modalities?.[kind] ?? 0, rest[tokens])
    if (count === 0 || !from) continue
    rest[tokens] -= count
    const price = modalityRate(kind, { ...from, text })
    others.push({ name: words(kind), unit: 'tokens', count, price })
  }
  const line = (name: string, count: number, price: number): ChargeLine => {
    return { name, unit: 'tokens', count, price }
  }
  return [
    line('input', rest.inputTokens, text.input),
    line('output', rest.outputTokens, text.output),
    line('cache read', rest.cacheReadTokens, text.cacheRead),
    line('cache write', rest.cacheWriteTokens, text.cacheWrite),
    line('cache write 1h', rest.cacheWrite1hTokens, text.cacheWrite1h),
    ...others,
  ]
}

/** Lines for vendor-run tools. A tool without a price costs nothing; `verify` reports it. */
export function toolLines(
  terms: PriceTerms,
  { tools = {} }: UsageExtras,
  vendor: VendorExtras | undefined,
): readonly ChargeLine[] {
  return Object.entries(tools)
    .filter(([, count]) => count > 0)
    .map(([tool, count]) => ({
      name: tool.replaceAll('_', ' '),
      unit: 'use',
      count,
      price: toolPrice(terms, vendor, tool) ?? 0,
    }))
}

export interface TierFactor {
  readonly name: string
  readonly millionths: number
}

/** The factors of the answer's service tier; empty for the standard tier. */
export const tierFactors = (
  terms: PriceTerms,
  { tier }: UsageExtras,
  vendor: VendorExtras | undefined,
): readonly TierFactor[] =>
  tierWords(tier).map((name) => ({ name, millionths: tierFactor(terms, vendor, name) }))

/** The exact sum: `value` in units of 10⁻¹² USD / `scale`. Service tiers do not multiply tools. */
export function sumLines(lines: readonly ChargeLine[], factors: readonly TierFactor[]) {
  const scale = 1_000_000n ** BigInt(factors.length)
  const factor = factors.reduce((all, { millionths }) => all * BigInt(millionths), 1n)
  let value = 0n
  for (const { unit, count, price } of lines) {
    const product = BigInt(count) * BigInt(price)
    if (unit === 'tokens') value += product * factor
    else value += product * 1_000n * (unit === 'call' ? factor : scale)
  }
  return { value, scale }
}

/** A line's price in USD including service tiers: price × count is the line's amount. */
export function linePrice({ unit, price }: ChargeLine, factors: readonly TierFactor[]): string {
  if (unit === 'use') return formatNano(price)
  const factor = factors.reduce((all, { millionths }) => all * BigInt(millionths), BigInt(price))
  const decimals = unit === 'tokens' ? priceDecimals : nanoDecimals
  return formatDecimal(factor, decimals + 6 * factors.length)
}

/** The amount of lines in USD, service tiers included. */
export const linesAmount = (lines: readonly ChargeLine[], factors: readonly TierFactor[]): string =>
  formatDecimal(sumLines(lines, factors).value, 12 + 6 * factors.length)

/** `cacheReadAudio` → `cache read audio`. */
const words = (kind: string) => kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
