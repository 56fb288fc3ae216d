import { expect, test } from 'bun:test'
import { buildCatalog } from '../../src/catalog/catalog.ts'
import { createContextWindows } from '../../src/catalog/model-facts.ts'
import { findVendorPrice } from '../../src/catalog/vendor-prices.ts'
import type { CatalogRows, ChannelModel, PriceTerms } from '../../src/store/ports/catalog.ts'
import { channelWrite, groupWrite, priceWrite } from '../store/support.ts'

const rates = { input: 1, output: 1, cacheRead: null, cacheWrite: null, cacheWrite1h: null }
const tokens = (contextWindow?: number): PriceTerms => ({
  unit: 'tokens',
  base: rates,
  tiers: [],
  ...(contextWindow !== undefined && { contextWindow }),
})

/** A catalog of one group with a channel for each list of models. */
function rowsOf(
  channels: readonly (readonly ChannelModel[])[],
  prices: Readonly<Record<string, PriceTerms>>,
): CatalogRows {
  return {
    channels: channels.map((models, i) => ({
      ...channelWrite({ name: `c${i}`, models }),
      id: i + 1,
      keysSealed: Uint8Array.of(1),
      proxySealed: null,
    })),
    groups: [{ ...groupWrite({ channels: channels.map((_, i) => `c${i}`) }), id: 1 }],
    prices: Object.entries(prices).map(([model, terms], i) => ({
      ...priceWrite(model, terms),
      id: i + 1,
      validFrom: 0,
    })),
  }
}

function windowOf(model: string, upstreams: readonly string[], terms = tokens()) {
  const rows = rowsOf(
    upstreams.map((upstream) => [{ id: model, upstream }]),
    { [model]: terms },
  )
  return buildCatalog(
    rows,
    () => ['key'],
    () => '',
  )
    .groups.get(1)
    ?.offers.get(model)?.contextWindow
}

const vendorWindow = (model: string) => findVendorPrice(model)?.contextWindow ?? 0
const [nano, big] = ['gpt-5-nano', 'gpt-4.1']

test('the names used here have windows that differ', () => {
  expect(vendorWindow(nano)).toBeGreaterThan(0)
  expect(vendorWindow(big)).toBeGreaterThan(vendorWindow(nano))
})

test("the operator's word counts before the vendor's", () => {
  expect(windowOf(nano, [nano])).toBe(vendorWindow(nano))
  expect(windowOf(nano, [nano], tokens(1000))).toBe(1000)
  expect(windowOf(nano, [nano], { unit: 'call', perCallNano: 5 })).toBe(vendorWindow(nano))
})

test("under a name of the operator's own the upstream's model counts", () => {
  expect(windowOf('fast', [nano])).toBe(vendorWindow(nano))
  expect(windowOf('house-llm', ['house-llm'])).toBeNull()
})

test('of several upstream models the largest counts, and one that is unknown makes all unknown', () => {
  expect(windowOf('any', [nano, big, nano])).toBe(vendorWindow(big))
  expect(windowOf('any', [nano, 'house-llm', big])).toBeNull()
})

test('each name is looked up once in a catalog, however many groups and channels have it', () => {
  const asked: string[] = []
  const windows = createContextWindows((model) => {
    asked.push(model)
    return model === 'known' ? { contextWindow: 5 } : undefined
  })
  const price = { ...priceWrite('fast', tokens()), id: 1, validFrom: 0 }
  const candidates = [{ upstreamModel: 'known' }, { upstreamModel: 'known' }]
  for (let group = 0; group < 10; group++) expect(windows.of(price, candidates)).toBe(5)
  expect(asked).toEqual(['fast', 'known'])
})
