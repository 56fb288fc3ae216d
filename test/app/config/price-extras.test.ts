import { expect, test } from 'bun:test'
import { priceFields } from '../../../src/app/config/diff-fields.ts'
import { loadPriceConfig } from '../../../src/app/config/load.ts'
import { priceEntry } from '../../../src/app/console/config-export/entries.ts'
import type { PriceSetting, PriceTerms } from '../../../src/store/ports/catalog.ts'

const rates = { input: 1, output: 2, cacheRead: null, cacheWrite: 3, cacheWrite1h: null }
const extras = { tools: { mcp: 0, web_search: 10_000_000 }, serviceTiers: { flex: 500_000 } }
const terms: readonly PriceTerms[] = [
  {
    unit: 'tokens',
    base: { ...rates, modalities: { inputAudio: 7, cacheReadImage: 8, outputVideo: 9 } },
    tiers: [{ above: 1000, ...rates, modalities: { outputAudio: 64_000_000 } }],
    contextWindow: 5000,
    extras,
  },
  { unit: 'call', perCallNano: 40_000_000, extras },
]
const setting = (one: PriceTerms): PriceSetting => ({
  ...{ model: 'm', terms: one, source: 'config', note: '' },
})

test.each(terms.map((one) => [one.unit, one] as const))(
  'a price by %s that is exported is read as the same price again',
  (_, one) => {
    const text = JSON.stringify({ prices: { m: priceEntry(setting(one)) } })
    const loaded = loadPriceConfig({ text, file: '', env: {} })
    expect(loaded).toEqual({ ok: true, prices: [setting(one)] })
  },
)

test('a plan names what of them changes', () => {
  const [byTokens] = terms
  if (byTokens === undefined) throw new Error('no terms')
  expect(priceFields(setting(byTokens))).toMatchObject({
    input_audio: '0.000007',
    'above 1000: output_audio': '64',
    'tools.mcp': 'free',
    'tools.web_search': '10',
    'service_tiers.flex': '0.5',
  })
})
