import type { PriceTerms } from '../../store/ports/catalog.ts'
import type { ReceiptRows, StoredRequest } from '../../store/ports/records.ts'
import { effectiveRates } from '../charge.ts'
import { formatDecimal, multiplierDecimals } from '../money.ts'
import { explainTier, type TierChoice } from './tier.ts'

/** One factor of a charge. Prices are in micro-USD per 1M tokens, or in nano-USD per call. */
export interface ChargeLine {
  readonly name: string
  readonly count: number
  readonly price: number
}

/** How an amount came about. */
export interface Explanation {
  readonly unit: 'tokens' | 'call' | 'free'
  /** All kinds of tokens, also those that did not occur; empty for a free model. */
  readonly lines: readonly ChargeLine[]
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
  return terms.unit === 'call'
    ? explainCalls(terms.perCallNano, request)
    : explainTokens(terms, request)
}

function explainCalls(perCallNano: number, request: StoredRequest): Explanation {
  const line = { name: 'calls', count: request.calls, price: perCallNano }
  const result = roundHalfUp(exactCharge(request, [line]), 6)
  const formula = `${line.count} × ${line.price} × ${multiplierOf(request)} = ${result.text}`
  return { unit: 'call', lines: [line], tier: null, formula, amountNano: result.amountNano }
}

function explainTokens(
  terms: Extract<PriceTerms, { unit: 'tokens' }>,
  request: StoredRequest,
): Explanation {
  const tier = explainTier(terms, request)
  const lines = tokenLines(request, effectiveRates(tier.rates))
  const used = lines.filter(({ count }) => count > 0)
  const sum = used.map(({ count, price: micro }) => `${count} × ${micro}`).join(' + ') || '0'
  const result = roundHalfUp(exactCharge(request, lines), 9)
  const formula = `(${sum}) × ${multiplierOf(request)} / 1000 = ${result.text}`
  return { unit: 'tokens', lines, tier, formula, amountNano: result.amountNano }
}

function tokenLines(
  request: StoredRequest,
  rates: ReturnType<typeof effectiveRates>,
): readonly ChargeLine[] {
  return [
    { name: 'input', count: request.inputTokens, price: rates.input },
    { name: 'output', count: request.outputTokens, price: rates.output },
    { name: 'cache read', count: request.cacheReadTokens, price: rates.cacheRead },
    { name: 'cache write', count: request.cacheWriteTokens, price: rates.cacheWrite },
    { name: 'cache write 1h', count: request.cacheWrite1hTokens, price: rates.cacheWrite1h },
  ]
}

/** The group's multiplier as people write it: `0.8`. */
export const multiplierOf = ({ multiplierMillionths }: StoredRequest): string =>
  formatDecimal(multiplierMillionths, multiplierDecimals)

/** The charge before rounding: prices × millionths. */
function exactCharge(request: StoredRequest, lines: readonly ChargeLine[]): bigint {
  const sum = lines.reduce((all, line) => all + BigInt(line.count) * BigInt(line.price), 0n)
  return sum * BigInt(request.multiplierMillionths)
}

/** The amount in nano-USD, and the exact value before it where rounding changed it. */
function roundHalfUp(exact: bigint, decimals: number) {
  const unit = 10n ** BigInt(decimals)
  const amountNano = (exact + unit / 2n) / unit
  const amount = `${amountNano} nano-USD`
  const isWhole = exact % unit === 0n
  const text = isWhole ? amount : `${formatDecimal(exact, decimals)}, rounded half up to ${amount}`
  return { amountNano, text }
}
