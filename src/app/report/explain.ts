import { effectiveRates } from '../../billing/charge.ts'
import { formatDecimal, multiplierDecimals } from '../../billing/money.ts'
import type { ReceiptRows, StoredRequest } from '../../store/ports/records.ts'

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
  /** `(120 × 250000 + 40 × 2000000) × 0.8 / 1000 = 88000 nano-USD`. */
  readonly formula: string
}

/**
 * Explains a charge by the numbers that are on record; null when no price applied. The result is
 * computed anew: should it ever differ from the amount on record, the receipt shows both.
 */
export function explainCharge({ request, price }: ReceiptRows): Explanation | null {
  const terms = price?.terms
  if (terms === undefined || terms.unit === 'none') return null
  if (terms.unit === 'free') return { unit: 'free', lines: [], formula: 'free = 0 nano-USD' }
  const multiplier = formatDecimal(request.multiplierMillionths, multiplierDecimals)
  if (terms.unit === 'call') {
    const line = { name: 'calls', count: request.calls, price: terms.perCallNano }
    const result = describeResult(exactCharge(request, [line]), 6)
    const formula = `${line.count} × ${line.price} × ${multiplier} = ${result}`
    return { unit: 'call', lines: [line], formula }
  }
  const tier = terms.tiers.find(({ above }) => above === request.tierAbove)
  const lines = tokenLines(request, effectiveRates(tier ?? terms.base))
  const used = lines.filter(({ count }) => count > 0)
  const sum = used.map(({ count, price: micro }) => `${count} × ${micro}`).join(' + ') || '0'
  const result = describeResult(exactCharge(request, lines), 9)
  return { unit: 'tokens', lines, formula: `(${sum}) × ${multiplier} / 1000 = ${result}` }
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

/** The charge before rounding: prices × millionths. */
function exactCharge(request: StoredRequest, lines: readonly ChargeLine[]): bigint {
  const sum = lines.reduce((all, line) => all + BigInt(line.count) * BigInt(line.price), 0n)
  return sum * BigInt(request.multiplierMillionths)
}

/** The amount in nano-USD, and the exact value before it where rounding changed it. */
function describeResult(exact: bigint, decimals: number): string {
  const unit = 10n ** BigInt(decimals)
  const amount = `${(exact + unit / 2n) / unit} nano-USD`
  return exact % unit === 0n
    ? amount
    : `${formatDecimal(exact, decimals)}, rounded half up to ${amount}`
}
