import { expect, test } from 'bun:test'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import { inSlices } from '../../../src/lib/slices.ts'
import { encodeEntries, encodeFeed } from '../../../src/site/feed/document.ts'
import { encodePlaza } from '../../../src/site/plaza/document.ts'
import { createRandom } from '../../support/random.ts'
import { catalogOf } from '../feed/catalogs.ts'

// SPEC 4.7: base price (plaza) × rate_multiplier (plaza) = price (feed), for every entry. Calculated
// from the texts of both documents, in digits of its own, without the program's money functions.

const seed = 20_261_121
const pairs = [
  ['input_price', 'input_price'],
  ['output_price', 'output_price'],
  ['cache_read_price', 'cache_input_price'],
  ['cache_write_price', 'cache_create_price'],
  ['cache_write_1h_price', 'cache_create_price_1h'],
] as const

/** Fields of a document with its numbers as they stand there. */
type Written = Readonly<Record<string, string>>

test('base price × multiplier = feed price, for every entry and every kind of price', async () => {
  const random = createRandom(seed)
  const counts = { exact: 0, rounded: 0, entries: 0 }
  for (let round = 0; round < 40; round++) {
    const catalog = randomCatalog(random)
    const feed = await feedOf(catalog)
    const plaza = await plazaOf(catalog)
    const callable = [...feed].filter(([, entry]) => String(entry.enabled) === 'true')
    expect([...plaza.keys()].toSorted()).toEqual(callable.map(([key]) => key).toSorted())
    for (const [key, entry] of callable) {
      counts.entries++
      const { multiplier, pricing } = plaza.get(key) ?? { multiplier: '', pricing: {} }
      if (entry.price_unit === 'per_call') {
        expect(pricing.billing_mode).toBe('per_request')
        compare(pricing.per_request_price, multiplier, scaled(entry.unit_price, 24), counts)
      } else {
        expect(pricing.billing_mode).toBe('token')
        for (const [base, final] of pairs)
          compare(pricing[base], multiplier, scaled(entry[final], 18), counts)
      }
    }
  }
  expect(counts.entries).toBeGreaterThan(1000)
  expect(counts.exact).toBeGreaterThan(3000)
  expect(counts.rounded).toBeGreaterThan(100)
})

test('the comparison itself knows a wrong price', () => {
  const counts = { exact: 0, rounded: 0 }
  compare('0.00000025', '0.8', scaled('0.2', 18), counts)
  expect(counts).toEqual({ exact: 1, rounded: 0 })
  expect(() => compare('0.00000026', '0.8', scaled('0.2', 18), counts)).toThrow()
  expect(() => compare('0.00000025', '0.800001', scaled('0.2', 18), counts)).toThrow()
})

/**
 * `final` in 10⁻²⁴ USD per token (or call). Divided by the multiplier it is the base price as it was
 * set; of this the plaza shows all digits up to 12, and else the 12 nearest.
 */
function compare(
  shown: string | undefined,
  multiplier: string,
  final: bigint,
  counts: { exact: number; rounded: number },
) {
  const base = final / scaled(multiplier, 6)
  expect(base * scaled(multiplier, 6)).toBe(final)
  const digits = String(base).length
  if (String(base).replace(/0+$/, '').length <= 12) {
    expect(scaled(shown, 18)).toBe(base)
    counts.exact++
    return
  }
  const lastDigit = 10n ** BigInt(digits - 12)
  const difference = scaled(shown, 18) - base
  expect(2n * (difference < 0n ? -difference : difference)).toBeLessThanOrEqual(lastDigit)
  counts.rounded++
}

/** A plain decimal as an integer of 10^-`decimals`. */
function scaled(text: string | undefined, decimals: number): bigint {
  if (text === undefined || !/^\d+(\.\d+)?$/.test(text)) throw new Error(`${text} is no decimal`)
  const [whole = '', fraction = ''] = text.split('.')
  if (fraction.length > decimals) throw new Error(`${text} has more than ${decimals} decimals`)
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

const quoteNumbers = (text: string) => text.replace(/(":)(\d[\d.]*)(?=[,}])/g, '$1"$2"')

async function feedOf(catalog: Catalog) {
  const site = { name: 's', domain: 'd', currency: 'CNY' }
  const text = encodeFeed(site, await inSlices(encodeEntries(catalog)), 0)
  const entries: Written[] = JSON.parse(quoteNumbers(text)).data.models
  return new Map(entries.map((entry) => [`${entry.group_name}/${entry.model_name}`, entry]))
}

interface WrittenGroup {
  readonly name: string
  readonly rate_multiplier: string
  readonly models: readonly { readonly name: string; readonly pricing: Written }[]
}

async function plazaOf(catalog: Catalog) {
  const text = await inSlices(encodePlaza(catalog, ''))
  const groups: WrittenGroup[] = JSON.parse(quoteNumbers(text)).data.groups
  return new Map(
    groups.flatMap(({ name, rate_multiplier, models }) =>
      models.map((model) => [
        `${name}/${model.name}`,
        { multiplier: rate_multiplier, pricing: model.pricing },
      ]),
    ),
  )
}

function randomCatalog(random: () => number): Catalog {
  // From 0.000001 USD per 1M tokens to more than 12 digits can say.
  const price = () => Math.max(1, Math.floor(10 ** (random() * 15)))
  const maybe = () => (random() < 0.3 ? null : random() < 0.1 ? 0 : price())
  const terms = () => {
    const kind = random()
    if (kind < 0.05) return { unit: 'free' } as const
    if (kind < 0.25) return { unit: 'call', perCallNano: price() } as const
    const base = { input: price(), output: price(), cacheRead: maybe() }
    const writes = { cacheWrite: maybe(), cacheWrite1h: maybe() }
    return { unit: 'tokens', base: { ...base, ...writes }, tiers: [] } as const
  }
  const groups = Array.from({ length: 5 }, (_, at) => ({
    name: `组${at}【官转·稳定】`,
    multiplierMillionths: 1 + Math.floor(random() * 9_999_999),
    hasChannel: random() > 0.1,
    longContextPricing: random() > 0.5,
    status: random() > 0.1 ? ('active' as const) : ('disabled' as const),
  }))
  return catalogOf(
    groups,
    Array.from({ length: 10 }, (_, at) => ({ id: `model-${at}`, terms: terms() })),
  )
}
