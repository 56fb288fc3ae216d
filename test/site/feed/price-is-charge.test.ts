import { expect, test } from 'bun:test'
import { charge } from '../../../src/billing/charge.ts'
import type { Offer } from '../../../src/catalog/catalog.ts'
import { inSlices } from '../../../src/lib/slices.ts'
import { encodeEntries, encodeFeed } from '../../../src/site/feed/document.ts'
import type { PriceTerms } from '../../../src/store/ports/catalog.ts'
import { createRandom } from '../../support/random.ts'
import { catalogOf, type SoldGroup } from './catalogs.ts'

// B6: what the feed shows is what is charged. Everything from the document's text on is calculated
// here, in digits of its own, without the program's money functions.

const seed = 20_261_121
const kinds = {
  inputTokens: 'input_price',
  outputTokens: 'output_price',
  cacheReadTokens: 'cache_input_price',
  cacheWriteTokens: 'cache_create_price',
  cacheWrite1hTokens: 'cache_create_price_1h',
} as const
type Kind = keyof typeof kinds
type Usage = Record<Kind, number>

/** The numbers of a document as they stand there, not as a double reads them. */
type WrittenEntry = Readonly<Record<string, string>> & {
  readonly model_name: string
  readonly group_name: string
}

test('B6: feed × tokens = charge, to the nano-USD, for every kind of token', async () => {
  const random = createRandom(seed)
  let compared = 0
  for (let round = 0; round < 40; round++) {
    const groups = Array.from({ length: 5 }, (_, at) => randomGroup(random, at))
    const models = Array.from({ length: 10 }, (_, at) => ({
      id: `model-${at}`,
      terms: randomTerms(random),
    }))
    const catalog = catalogOf(groups, models)
    const entries = await writtenEntries(catalog)
    for (const group of catalog.groups.values()) {
      for (const offer of group.offers.values()) {
        const entry = entries.get(`${group.name}/${offer.model}`)
        if (entry === undefined) throw new Error(`no entry for ${group.name}/${offer.model}`)
        for (const usage of usagesFor(random)) {
          const calls = 1 + Math.floor(random() * 10)
          const amount = charged(offer, usage, calls, group.multiplierMillionths)
          expect(amount).toBe(byFeed(entry, usage, calls))
          compared++
        }
      }
    }
  }
  expect(compared).toBe(40 * 50 * 8)
})

test('the comparison itself knows a wrong price', () => {
  const usage = usageOf({ inputTokens: 1_000_000 })
  const entry = { model_name: 'm', group_name: 'g', input_price: '0.000000999999' }
  expect(byFeed({ ...entry, input_price: '0.000001' }, usage, 1)).toBe(1000n)
  expect(byFeed({ ...entry, input_price: '0.0000009994' }, usage, 1)).toBe(999n)
  expect(byFeed({ ...entry, input_price: '0.0000009995' }, usage, 1)).toBe(1000n)
})

function charged(offer: Offer, usage: Usage, calls: number, multiplierMillionths: number): bigint {
  // The base tier, which the feed shows; tiers are the plaza's.
  const basis = { usage, calls, multiplierMillionths, longContextPricing: false }
  return BigInt(charge({ terms: offer.price.terms, ...basis }).amountNano)
}

function byFeed(entry: WrittenEntry, usage: Usage, calls: number): bigint {
  if (entry.price_unit === 'per_call') return toNano(digits(entry.unit_price) * BigInt(calls))
  let sum = 0n
  for (const [kind, field] of Object.entries(kinds) as [Kind, string][])
    sum += digits(entry[field]) * BigInt(usage[kind])
  return toNano(sum / 1_000_000n, sum % 1_000_000n)
}

/** A plain decimal as an integer of 10⁻²⁴. */
function digits(text = '0'): bigint {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`${text} is no plain decimal`)
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(24, '0'))
}

/** Half up, from 10⁻²⁴ to 10⁻⁹. What a division before it left over can't change a half here. */
function toNano(value: bigint, left = 0n): bigint {
  expect(left).toBe(0n)
  const unit = 10n ** 15n
  return value / unit + (value % unit >= unit / 2n ? 1n : 0n)
}

async function writtenEntries(catalog: Parameters<typeof encodeEntries>[0]) {
  const site = { name: 's', domain: 'd', currency: 'USD' }
  const text = encodeFeed(site, await inSlices(encodeEntries(catalog)), 0)
  const quoted = text.replace(/("\w+_price(?:_1h)?":)([^",}]+)/g, '$1"$2"')
  const entries: WrittenEntry[] = JSON.parse(quoted).data.models
  return new Map(entries.map((entry) => [`${entry.group_name}/${entry.model_name}`, entry]))
}

function usagesFor(random: () => number): Usage[] {
  const some = () => Math.floor(random() ** 4 * 2_000_000)
  const single = (Object.keys(kinds) as Kind[]).map((kind) => usageOf({ [kind]: 1 + some() }))
  const mixed = {
    inputTokens: some(),
    outputTokens: some(),
    cacheReadTokens: some(),
    cacheWriteTokens: some(),
    cacheWrite1hTokens: some(),
  }
  return [...single, usageOf({}), mixed, usageOf({ inputTokens: 1 })]
}

function usageOf(changes: Partial<Usage>): Usage {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 }
  return { ...none, cacheWriteTokens: 0, cacheWrite1hTokens: 0, ...changes }
}

function randomTerms(random: () => number): PriceTerms {
  // From 0.000001 USD per 1M tokens to some 100,000: every order of magnitude is as likely.
  const price = () => Math.max(1, Math.floor(10 ** (random() * 11)))
  const maybe = () => (random() < 0.3 ? null : random() < 0.1 ? 0 : price())
  const kind = random()
  if (kind < 0.05) return { unit: 'free' }
  if (kind < 0.25) return { unit: 'call', perCallNano: price() }
  const rates = () => ({
    input: price(),
    output: price(),
    cacheRead: maybe(),
    cacheWrite: maybe(),
    cacheWrite1h: maybe(),
  })
  const tiers = random() < 0.5 ? [] : [{ above: 200_000, ...rates() }]
  return { unit: 'tokens', base: rates(), tiers }
}

function randomGroup(random: () => number, at: number): SoldGroup {
  return { name: `组${at}`, multiplierMillionths: 1 + Math.floor(random() * 9_999_999) }
}
