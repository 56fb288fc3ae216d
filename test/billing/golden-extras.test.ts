import { describe, expect, test } from 'bun:test'
import { charge } from '../../src/billing/charge.ts'
import { chargedExtras, dearestMultiplier, hasPrice } from '../../src/billing/extras.ts'
import { explainCharge } from '../../src/billing/receipt/explain.ts'
import { describeReceipt } from '../../src/billing/receipt/text.ts'
import type { PriceTerms } from '../../src/store/ports/catalog.ts'
import type { UsageExtras, VendorExtras } from '../../src/store/ports/extras.ts'
import { goldenTerms } from './golden-bills.ts'
import { flat, receiptOf, uncached } from './receipt/rows.ts'

// Worked out by hand from the prices of golden-bills.ts: 1 USD in, 5 out, 0.1 cached, three times that
// above 200,000 tokens. 1,000 in and 100 out: 1,000 × 1,000 + 100 × 5,000 = 1,500,000 nano-USD.

const million = 1_000_000
if (goldenTerms.unit !== 'tokens') throw new Error('The golden price is by tokens.')
const spoken: PriceTerms = {
  ...goldenTerms,
  base: { ...goldenTerms.base, modalities: { inputAudio: 7 * million, inputImage: 2 * million } },
}
const drawn: PriceTerms = {
  ...goldenTerms,
  base: { ...goldenTerms.base, modalities: { outputImage: 30 * million } },
}
const ownTools: PriceTerms = {
  ...goldenTerms,
  extras: {
    tools: { web_search: 20 * million, file_search: 0 },
    serviceTiers: { fast: 2 * million },
  },
}
const perCall: PriceTerms = { unit: 'call', perCallNano: 40 * million }
const vendor: VendorExtras = {
  tools: { web_search: 10 * million, file_search: 2.5 * million },
  serviceTiers: { fast: 6 * million, us: 1.1 * million, flex: 0.5 * million },
  modalities: { outputAudio: 64 * million },
}

const counts = (inputTokens: number, outputTokens: number, cacheReadTokens = 0) => ({
  ...uncached(inputTokens, outputTokens),
  cacheReadTokens,
})
const plain = counts(1_000, 100)

interface Case {
  readonly name: string
  readonly terms?: PriceTerms
  readonly usage?: typeof plain
  readonly extras: UsageExtras
  readonly vendor?: VendorExtras
  readonly multiplier?: number
  readonly nano: number
}
const cases: readonly Case[] = [
  // (1,500,000 + 3 × 10,000,000) × 0.5
  {
    name: 'a tool by the vendor’s list, × the group',
    extras: { tools: { web_search: 3 } },
    multiplier: 0.5 * million,
    nano: 15_750_000,
  },
  {
    name: 'a tool by the model’s own price',
    terms: ownTools,
    extras: { tools: { web_search: 3 } },
    nano: 61_500_000,
  },
  {
    name: 'a tool that is free on purpose',
    terms: ownTools,
    extras: { tools: { file_search: 9 } },
    nano: 1_500_000,
  },
  { name: 'a service tier', extras: { tier: 'fast' }, nano: 9_000_000 },
  {
    name: 'a service tier by the model’s own price',
    terms: ownTools,
    extras: { tier: 'fast' },
    nano: 3_000_000,
  },
  // 1,500,000 × 6 × 1.1 + 10,000,000: tools cost the same in every tier
  {
    name: 'two tiers multiply, tools do not',
    extras: { tier: 'fast+us', tools: { web_search: 1 } },
    nano: 19_900_000,
  },
  { name: 'a cheaper tier', extras: { tier: 'flex' }, nano: 750_000 },
  {
    name: 'a cheaper tier without a price is the standard one',
    vendor: {},
    extras: { tier: 'flex' },
    nano: 1_500_000,
  },
  {
    name: 'a tier that nobody knows, and nobody asked for, is the standard one',
    extras: { tier: 'turbo' },
    nano: 1_500_000,
  },
  // 600 × 1,000 + 400 × 7,000 + 500,000
  {
    name: 'audio among the input',
    terms: spoken,
    extras: { modalities: { inputAudio: 400 } },
    nano: 3_900_000,
  },
  {
    name: 'input without a price of its own is text',
    extras: { modalities: { inputAudio: 400 } },
    nano: 1_500_000,
  },
  // 900 × 1,000 + 100 × 2,000 … of 1,000 cached: 900 × 100 + 100 × 7,000
  {
    name: 'cached audio without a price costs what it costs uncached',
    terms: spoken,
    usage: counts(0, 0, 1_000),
    extras: { modalities: { cacheReadAudio: 100 } },
    nano: 790_000,
  },
  // 1,000,000 + 40 × 5,000 + 60 × 30,000
  {
    name: 'images among the output',
    terms: drawn,
    extras: { modalities: { outputImage: 60 } },
    nano: 3_000_000,
  },
  // 1,000,000 + 50 × 5,000 + 50 × 64,000
  {
    name: 'audio in the answer by the vendor’s list',
    extras: { modalities: { outputAudio: 50 } },
    nano: 4_450_000,
  },
  // 199,901 × 3,000 + 100 × 7,000 … + 100 × 3,000: the base's 2 USD is less than text costs here
  {
    name: 'a long context: never less than its text',
    terms: spoken,
    usage: counts(200_001, 0),
    extras: { modalities: { inputAudio: 100, inputImage: 100 } },
    nano: 199_801 * 3_000 + 700_000 + 300_000,
  },
  {
    name: 'no more of a kind than there are tokens',
    terms: spoken,
    usage: counts(10, 0),
    extras: { modalities: { inputAudio: 400 } },
    nano: 70_000,
  },
  // 2 × 40,000,000 × 6 + 10,000,000
  {
    name: 'a price per call',
    terms: perCall,
    extras: { tier: 'fast', tools: { web_search: 1 } },
    nano: 490_000_000,
  },
  { name: 'a free model', terms: { unit: 'free' }, extras: { tools: { web_search: 5 } }, nano: 0 },
  // One token at 1.1 × 0.0005 USD per 1M is 0.55 nano-USD.
  {
    name: 'rounded once, at the end',
    terms: { ...flat, base: { ...flat.base, input: 500 } },
    usage: counts(1, 0),
    extras: { tier: 'us' },
    nano: 1,
  },
]

describe('golden bills of what is billed beside text', () => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const { terms = goldenTerms, usage = plain, extras, nano } = one
    const list = one.vendor ?? vendor
    const basis = {
      terms,
      calls: 2,
      multiplierMillionths: one.multiplier ?? million,
      longContextPricing: true,
    }
    expect(charge({ ...basis, usage: { ...usage, extras }, vendor: list }).amountNano).toBe(nano)
    // The record alone says the same: neither the list nor the price may have changed meanwhile.
    const extrasJson = JSON.stringify(chargedExtras(terms, extras, list))
    const record = receiptOf(terms, { ...usage, ...basis, extrasJson })
    expect(explainCharge(record)?.amountNano).toBe(BigInt(nano))
  })
})

test('the formula names every part', () => {
  const extras = { tier: 'fast+us', tools: { web_search: 1 }, modalities: { inputAudio: 400 } }
  const extrasJson = JSON.stringify(chargedExtras(spoken, extras, vendor))
  const { formula } = explainCharge(receiptOf(spoken, { ...plain, extrasJson })) ?? {}
  expect(formula).toBe(
    '((600 × 1000000 + 100 × 5000000 + 400 × 7000000) × 6 × 1.1 / 1000 + 1 × 10000000) × 0.8 = 28592000 nano-USD',
  )
})

describe('what has a price', () => {
  test('tools and tiers by the price, else by the list', () => {
    expect(hasPrice(ownTools, undefined, { tool: 'web_search' })).toBe(true)
    expect(hasPrice(goldenTerms, vendor, { tool: 'web_search' })).toBe(true)
    expect(hasPrice(goldenTerms, {}, { tool: 'web_search' })).toBe(false)
    expect(hasPrice(goldenTerms, vendor, { tier: 'fast+us' })).toBe(true)
    expect(hasPrice(goldenTerms, vendor, { tier: 'fast+turbo' })).toBe(false)
    expect(hasPrice(goldenTerms, {}, { tier: 'flex' })).toBe(true)
    expect(hasPrice({ unit: 'free' }, {}, { tool: 'web_search' })).toBe(true)
  })

  test('answers that are no text need one of their own, input does not', () => {
    expect(hasPrice(goldenTerms, {}, { modality: 'outputImage' })).toBe(false)
    expect(hasPrice(drawn, {}, { modality: 'outputImage' })).toBe(true)
    expect(hasPrice(goldenTerms, vendor, { modality: 'outputAudio' })).toBe(true)
    expect(hasPrice(goldenTerms, {}, { modality: 'inputVideo' })).toBe(true)
    expect(hasPrice(perCall, {}, { modality: 'outputImage' })).toBe(true)
  })
})

test('the dearest that asked tiers can come to: a discount may be denied', () => {
  const of = (...tiers: string[]) => dearestMultiplier(goldenTerms, vendor, tiers)
  expect(of()).toBe(million)
  expect(of('flex')).toBe(million)
  expect(of('fast')).toBe(6 * million)
  expect(of('fast', 'us')).toBe(6.6 * million)
  expect(of('flex+us')).toBe(1.1 * million)
})

test('a receipt tells each part with its count, its price and what it came to', () => {
  const extras = { tier: 'fast', tools: { web_search: 3 }, modalities: { inputAudio: 400 } }
  const extrasJson = JSON.stringify(chargedExtras(spoken, extras, vendor))
  const lines = describeReceipt(receiptOf(spoken, { ...plain, extrasJson })).join('\n')
  expect(lines).toContain('Beside: web search 0.01 USD each, service tier fast × 6')
  expect(lines).toMatch(/^input audio +400 +42 +0\.0168$/m)
  expect(lines).toMatch(/^web search +3 +0\.01 each +0\.03$/m)
  // (600 × 1 + 100 × 5 + 400 × 7) × 6 / 1M + 3 × 0.01
  expect(lines).toMatch(/^sum +0\.0534$/m)
  expect(lines).toContain('Service tier "fast": × 6, in the prices above.')
  expect(lines).not.toContain('DOES NOT ADD UP')
})
