import { describe, expect, test } from 'bun:test'
import { calcPrice } from '@pydantic/genai-prices'
import { Value } from '@sinclair/typebox/value'
import { buildPrices } from '../../data/build-prices.ts'
import { unread } from '../../data/price-exclusions.ts'
import { sampleIds } from '../../data/price-names.ts'
import { loadProviders } from '../../data/price-source.ts'
import { convertPrice, priceSchedule } from '../../data/price-terms.ts'
import { formatPrices } from '../../data/update-prices.ts'
import { type ChargedUsage, charge } from '../../src/billing/charge.ts'
import {
  findVendorPrice,
  type VendorPriceEntry,
  VendorPriceFile,
  vendorTerms,
} from '../../src/catalog/vendor-prices.ts'

const path = new URL('../../data/vendor-prices.json', import.meta.url)
const text = await Bun.file(path).text()
const json: unknown = JSON.parse(text)
if (!Value.Check(VendorPriceFile, json)) {
  const [first] = Value.Errors(VendorPriceFile, json)
  throw new Error(`data/vendor-prices.json: ${first?.path} ${first?.message}`)
}
const { models, date } = json
const timestamp = new Date(`${date}T00:00:00Z`)

/** Tokens of each kind, in the order input, cache read, cache write, cache write of one hour. */
type Context = readonly [number, number, number, number]

function usageOf([inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens]: Context) {
  const outputTokens = 777
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens }
}

/** The context in each bucket alone, and spread over all of them. */
function spreads(context: number): Context[] {
  const part = Math.floor(context / 5)
  return [
    [context, 0, 0, 0],
    [0, context, 0, 0],
    [0, 0, context, 0],
    [0, 0, 0, context],
    [context - 3 * part, part, part, part],
  ]
}

function usages(entry: VendorPriceEntry): ChargedUsage[] {
  const edges = entry.tiers.flatMap(({ above }) => [above - 1, above, above + 1, above * 3])
  return [0, 1, 1009, 123_457, 2_000_003, ...edges].flatMap(spreads).map(usageOf)
}

/** What the package itself calculates, in nano-USD, as a floating point number. */
function packagePriceNano(usage: ChargedUsage, id: string, providerId: string): number {
  const written = usage.cacheWriteTokens + usage.cacheWrite1hTokens
  const counts = {
    input_tokens: usage.inputTokens + usage.cacheReadTokens + written,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: written,
    cache_write_1h_tokens: usage.cacheWrite1hTokens,
    output_tokens: usage.outputTokens,
  }
  const priced = calcPrice(counts, id, { providerId, timestamp })
  if (!priced) throw new Error(`the package knows no price of ${providerId}/${id}`)
  return priced.total_price * 1e9
}

/** Half a nano-USD for our rounding, and the package's: a few units in its last place. */
function isSame(amountNano: number, packageNano: number): boolean {
  return Math.abs(amountNano - packageNano) <= 0.5 + packageNano * 8 * Number.EPSILON
}

const terms = { multiplierMillionths: 1_000_000, longContextPricing: true, calls: 1 }

describe('the file', () => {
  test('is what the package gives on its day, byte for byte', async () => {
    const { file } = await buildPrices(date)
    expect(formatPrices(file)).toBe(text)
  })

  test('stays under 400 KB', () => {
    expect(Buffer.byteLength(text)).toBeLessThan(400_000)
  })

  test('gives every id, alias and dated id to one model only', () => {
    const names = models.flatMap(({ id, aliases, dated }) => [id, ...aliases, ...dated])
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  test('is sorted by vendor, then id', () => {
    const keys = models.map(({ vendor, id }) => `${vendor}\n${id}`)
    expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : 1)))
  })

  test('has ascending tiers, and no entry that is free', () => {
    for (const { id, tiers, input, output } of models) {
      const starts = tiers.map(({ above }) => above)
      expect({ id, starts }).toEqual({ id, starts: [...new Set(starts)].sort((a, b) => a - b) })
      expect({ id, paid: input + output > 0 }).toEqual({ id, paid: true })
    }
  })

  test('has or leaves out with a reason every model of the package', async () => {
    const { file, skipped } = await buildPrices(date)
    const providers = await loadProviders()
    const wholes = new Set(skipped.flatMap(({ model }) => /^(.+)\/\*$/.exec(model)?.[1] ?? []))
    const read = [...providers.values()].filter(({ id }) => !wholes.has(id))
    const known = read.reduce((count, { models }) => count + models.length, 0)
    const single = skipped.filter(({ model }) => !model.endsWith('/*'))
    expect(file.models.length + single.length).toBe(known)
    expect(wholes.size + read.length).toBe(providers.size)
    for (const provider of Object.keys(unread)) expect(wholes).toContain(provider)
  })
})

// No entry is excluded here: what our form cannot express is not in the file.
describe('a charge at multiplier 1 is what the package calculates', () => {
  for (const vendor of new Set(models.map((entry) => entry.vendor)))
    test(`for every model of ${vendor}, every kind of token and both sides of every tier`, () => {
      const differences = models
        .filter((entry) => entry.vendor === vendor)
        .flatMap((entry) =>
          usages(entry).flatMap((usage) => {
            const { amountNano } = charge({ ...terms, terms: vendorTerms(entry), usage })
            const theirs = packagePriceNano(usage, entry.id, vendor)
            return isSame(amountNano, theirs) ? [] : [{ id: entry.id, usage, amountNano, theirs }]
          }),
        )
      expect(differences).toEqual([])
    })

  test('for tokens that are no text, and for tools', () => {
    const extras = {
      modalities: {
        ...{ inputAudio: 300, inputImage: 200, inputVideo: 100 },
        ...{ cacheReadAudio: 30, cacheReadImage: 20 },
        ...{ outputAudio: 11, outputImage: 12, outputVideo: 13 },
      },
      tools: { web_search: 3, file_search: 7 },
    }
    const usage = { ...usageOf([1009, 211, 0, 0]), extras }
    const counts = {
      ...{ input_tokens: 1220, cache_read_tokens: 211, output_tokens: usage.outputTokens },
      // The package counts cached ones among all of a kind.
      ...{ input_audio_tokens: 330, input_image_tokens: 220, input_video_tokens: 100 },
      ...{ cache_audio_read_tokens: 30, cache_image_read_tokens: 20 },
      ...{ output_audio_tokens: 11, output_image_tokens: 12, output_video_tokens: 13 },
      ...{ web_searches: 3, storage_searches: 7 },
    }
    const own = models.filter(({ id, modalities, tools }) => modalities ?? tools ?? id === '')
    expect(own.length).toBeGreaterThan(60)
    const differences = own.flatMap((entry) => {
      const { amountNano } = charge({ ...terms, terms: vendorTerms(entry), usage })
      const theirs = calcPrice(counts, entry.id, { providerId: entry.vendor, timestamp })
      const theirNano = (theirs?.total_price ?? 0) * 1e9
      return isSame(amountNano, theirNano) ? [] : [{ id: entry.id, amountNano, theirNano }]
    })
    expect(differences).toEqual([])
  })

  test('under every alias and dated id', () => {
    const usage = usageOf([300_001, 20_011, 3001, 101])
    const differences = models.flatMap((entry) => {
      const { amountNano } = charge({ ...terms, terms: vendorTerms(entry), usage })
      return [...entry.aliases, ...entry.dated.flatMap(pricedSamples(entry.vendor))]
        .filter((id) => !isSame(amountNano, packagePriceNano(usage, id, entry.vendor)))
        .map((id) => ({ model: entry.id, id }))
    })
    expect(differences).toEqual([])
  })
})

/** Some clauses of the package allow the dates of one year only; the others have no price there. */
function pricedSamples(providerId: string) {
  return (form: string) => {
    const ids = sampleIds(form).filter((id) => calcPrice({}, id, { providerId, timestamp }))
    expect({ form, priced: ids.length > 0 }).toEqual({ form, priced: true })
    return ids
  }
}

describe('findVendorPrice', () => {
  test('finds every entry by its id, its aliases and samples of its dated ids', () => {
    for (const entry of models) {
      const ids = [entry.id, ...entry.aliases, ...entry.dated.flatMap(sampleIds)]
      const found = ids.map((id) => findVendorPrice(id)?.id)
      expect(found).toEqual(ids.map(() => entry.id))
    }
  })

  test.each([
    ['gpt-5-mini-2025-08-07', 'openai', 'gpt-5-mini'],
    ['gpt-4o-2024-08-06', 'openai', 'gpt-4o'],
    ['gpt-4o-2024-05-13', 'openai', 'gpt-4o-2024-05-13'],
    ['gpt-6-sol-2026-09-01', 'openai', 'gpt-6-sol'],
    ['claude-sonnet-4-5-20250929', 'anthropic', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5@20250929', 'anthropic', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-20250514', 'anthropic', 'claude-sonnet-4-0'],
    ['claude-3-5-haiku-20241022', 'anthropic', 'claude-3-5-haiku-latest'],
    ['claude-3-5-sonnet-latest', 'anthropic', 'claude-3-5-sonnet'],
    ['claude-opus-4-20250514', 'anthropic', 'claude-opus-4-0'],
    ['gemini-2.0-flash-001', 'google', 'gemini-2.0-flash'],
    ['gemini-2.5-pro-preview-05-06', 'google', 'gemini-2.5-pro'],
    ['gemini-2.5-flash-lite-preview-06-17', 'google', 'gemini-2.5-flash-lite'],
    ['grok-4.3-20260401', 'x-ai', 'grok-4.3'],
    ['magistral-medium-2509', 'mistral', 'magistral-medium'],
    ['minimax-m2.7', 'minimax', 'MiniMax-M2.7'],
  ])('finds %p as %s/%s', (asked, vendor, id) => {
    expect(findVendorPrice(asked)).toMatchObject({ vendor, id })
  })

  test.each([
    ['an unknown model', 'gpt-99'],
    ['another case', 'GPT-5'],
    ['a date that the vendor never listed', 'gpt-5-mini-2026-01-01'],
    ['a date in another form', 'gpt-6-sol-20260901'],
    ['a number that is no date', 'claude-sonnet-4-5-20259929'],
    ['a mark instead of a date', 'claude-opus-5-YYYYMMDD'],
    ['something behind the date', 'claude-opus-5-20260101-v1'],
    ['a name of every object', '__proto__'],
    ['a model priced by the time of day', 'deepseek-chat'],
    ['a model priced by the hour', 'whisper-1'],
    ['a model with a fee per request', 'sonar-pro'],
    ['a model that is free at its vendor', 'gemma-4-31b-it'],
    ['an id that many sell', 'openai/gpt-oss-120b'],
  ])('knows no price of %s', (_, id) => {
    expect(findVendorPrice(id)).toBeUndefined()
  })

  test('tells tiers, context window and the day of the next price', () => {
    expect(findVendorPrice('gpt-5.4')).toEqual({
      id: 'gpt-5.4',
      vendor: 'openai',
      contextWindow: 1_050_000,
      maxOutput: null,
      until: null,
      terms: {
        unit: 'tokens',
        base: {
          input: 2_500_000,
          output: 15_000_000,
          cacheRead: 250_000,
          cacheWrite: null,
          cacheWrite1h: null,
        },
        tiers: [
          {
            above: 271_999,
            input: 5_000_000,
            output: 22_500_000,
            cacheRead: 500_000,
            cacheWrite: null,
            cacheWrite1h: null,
          },
        ],
        extras: { tools: { file_search: 2_500_000, web_search: 10_000_000 } },
      },
    })
    expect(findVendorPrice('gemini-3.6-flash')?.until).toBe('2027-01-01')
  })
})

describe('a price of the package', () => {
  test('whose kinds of token have tiers of their own gets a tier for every start', () => {
    const price = {
      input_mtok: { base: 1, tiers: [{ start: 200, price: 2 }] },
      output_mtok: { base: 3, tiers: [{ start: 100, price: 4 }] },
      cache_read_mtok: 0.5,
    }
    const rest = { cacheRead: 500_000, cacheWrite: null, cacheWrite1h: null }
    expect(convertPrice(price)).toEqual({
      input: 1_000_000,
      output: 3_000_000,
      ...rest,
      tiers: [
        { above: 100, input: 1_000_000, output: 4_000_000, ...rest },
        { above: 200, input: 2_000_000, output: 4_000_000, ...rest },
      ],
    })
  })

  test('with a key that is new, or a fraction of a micro-USD, stops the script', () => {
    expect(() => convertPrice({ input_mtok: 1, input_smell_mtok: 2 })).toThrow('input_smell_mtok')
    expect(() => convertPrice({ input_mtok: 0.0000001 })).toThrow('finer than a micro-USD')
  })

  test('is not taken when it is free or changes by the hour', () => {
    const constraint = { type: 'time_of_date' as const, start_time: '', end_time: '' }
    expect(convertPrice({})).toHaveProperty('reason')
    expect(convertPrice({ input_mtok: 0, output_mtok: 0 })).toHaveProperty('reason')
    expect(priceSchedule([{ prices: {} }, { constraint, prices: {} }], date)).toHaveProperty(
      'reason',
    )
  })

  test('tells the next day that it changes on, not a day gone by', () => {
    const from = (start_date: string) => ({
      constraint: { type: 'start_date' as const, start_date },
      prices: {},
    })
    const prices = [{ prices: {} }, from('2026-01-01'), from('2027-05-01'), from('2027-02-01')]
    expect(priceSchedule(prices, '2026-06-01')).toEqual({ until: '2027-02-01' })
    expect(priceSchedule(prices, '2027-05-01')).toEqual({ until: null })
  })
})
