import { expect, test } from 'bun:test'
import { Decimal } from 'decimal.js'
import { type ChargedUsage, charge } from '../../src/billing/charge.ts'
import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../src/billing/money.ts'
import type { PriceTerms, TokenRates } from '../../src/store/ports/catalog.ts'
import { createRandom } from '../support/random.ts'

// The charge once more, by another library in decimal arithmetic, from the prices as people write
// them: USD per 1M tokens, with fall-backs and tiers as CONTRACT 4 words them.

const Exact = Decimal.clone({ precision: 80, rounding: Decimal.ROUND_HALF_UP })
type Tiered = Extract<PriceTerms, { unit: 'tokens' }>

const random = createRandom(20_261_121)
const upTo = (most: number) => Math.floor(random() * (most + 1))
const chance = (share: number) => random() < share

/** Micro-USD per 1M: mostly odd figures of any size from 0.000001 USD to 1,000 USD. */
const price = () => (chance(0.1) ? upTo(1) : 1 + upTo(10 ** (1 + upTo(8))))
const maybe = () => (chance(0.4) ? null : price())
const rates = (): TokenRates => ({
  input: price(),
  output: price(),
  cacheRead: maybe(),
  cacheWrite: maybe(),
  cacheWrite1h: maybe(),
})

function terms(): Tiered {
  const starts = new Set(Array.from({ length: upTo(3) }, () => 1 + upTo(300_000)))
  const tiers = [...starts].sort((a, b) => a - b).map((above) => ({ above, ...rates() }))
  return { unit: 'tokens', base: rates(), tiers }
}

const count = () => (chance(0.2) ? 0 : upTo(10 ** upTo(7)))

/** Any counts, or counts whose context is exactly at, or one beside, the threshold of a tier. */
function usage({ tiers }: Tiered): ChargedUsage {
  const tier = tiers[upTo(Math.max(tiers.length - 1, 0))]
  const output = count()
  if (tier === undefined || chance(0.5)) {
    const [input, read, write, write1h] = [count(), count(), count(), count()]
    return counts(input, output, [read, write, write1h])
  }
  const context = tier.above - 1 + upTo(2)
  const [a = 0, b = 0, c = 0] = [upTo(context), upTo(context), upTo(context)].sort((x, y) => x - y)
  return counts(a, output, [b - a, c - b, context - c])
}

const counts = (
  inputTokens: number,
  outputTokens: number,
  [cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens]: readonly [number, number, number],
): ChargedUsage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  cacheWrite1hTokens,
})

/** Micro-USD as the decimal text that a person would write. */
const usd = (micro: number) => new Exact(formatDecimal(micro, priceDecimals))

function decimalCharge(price: Tiered, used: ChargedUsage, multiplier: string, hasTiers: boolean) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = used
  const context = new Exact(inputTokens)
    .plus(cacheReadTokens)
    .plus(cacheWriteTokens)
    .plus(cacheWrite1hTokens)
  const exceeded = price.tiers.filter((tier) => hasTiers && context.gt(tier.above))
  const at: TokenRates = exceeded.reduce<TokenRates>((_, tier) => tier, price.base)
  const write = at.cacheWrite === null ? at.input : at.cacheWrite
  const million = new Exact(1_000_000)
  const lines: readonly (readonly [number, number])[] = [
    [inputTokens, at.input],
    [outputTokens, at.output],
    [cacheReadTokens, at.cacheRead === null ? at.input : at.cacheRead],
    [cacheWriteTokens, write],
    [cacheWrite1hTokens, at.cacheWrite1h === null ? write : at.cacheWrite1h],
  ]
  const sum = lines.reduce(
    (all, [tokens, micro]) => all.plus(usd(micro).times(tokens).div(million)),
    new Exact(0),
  )
  return sum.times(multiplier).toDecimalPlaces(nanoDecimals).times(1e9).toFixed()
}

test('B5: charge by tokens equals decimal arithmetic, rounded half up once', () => {
  const differing: object[] = []
  let roundedUp = 0
  let tiered = 0
  for (let round = 0; round < 20_000; round++) {
    const price = terms()
    const used = usage(price)
    const multiplierMillionths = chance(0.1) ? 1_000_000 : upTo(10 ** (1 + upTo(6)))
    const longContextPricing = chance(0.8)
    const { amountNano, tierAbove } = charge({
      terms: price,
      usage: used,
      calls: 1,
      multiplierMillionths,
      longContextPricing,
    })
    const multiplier = formatDecimal(multiplierMillionths, multiplierDecimals)
    const expected = decimalCharge(price, used, multiplier, longContextPricing)
    if (String(amountNano) !== expected)
      differing.push({ price, used, multiplier, longContextPricing, amountNano, expected })
    if (tierAbove !== null) tiered++
    const floor = decimalFloor(price, used, multiplier, longContextPricing)
    if (floor !== expected) roundedUp++
  }
  expect(differing.slice(0, 3)).toEqual([])
  // The cases are worth something only if they meet tiers and roundings.
  expect(tiered).toBeGreaterThan(2_000)
  expect(roundedUp).toBeGreaterThan(2_000)
})

/** The same without rounding up: tells whether rounding mattered. */
function decimalFloor(price: Tiered, used: ChargedUsage, multiplier: string, hasTiers: boolean) {
  const { rounding } = Exact
  try {
    Exact.set({ rounding: Decimal.ROUND_DOWN })
    return decimalCharge(price, used, multiplier, hasTiers)
  } finally {
    Exact.set({ rounding })
  }
}

test('a charge per call equals decimal arithmetic', () => {
  const differing: object[] = []
  for (let round = 0; round < 2_000; round++) {
    const perCallNano = upTo(10 ** (1 + upTo(9)))
    const calls = upTo(20)
    const multiplierMillionths = upTo(3_000_000)
    const { amountNano } = charge({
      terms: { unit: 'call', perCallNano },
      usage: counts(count(), count(), [count(), count(), count()]),
      calls,
      multiplierMillionths,
      longContextPricing: true,
    })
    const expected = new Exact(formatDecimal(perCallNano, nanoDecimals))
      .times(calls)
      .times(formatDecimal(multiplierMillionths, multiplierDecimals))
      .toDecimalPlaces(nanoDecimals)
      .times(1e9)
      .toFixed()
    if (String(amountNano) !== expected) differing.push({ perCallNano, calls, amountNano })
  }
  expect(differing.slice(0, 3)).toEqual([])
})
