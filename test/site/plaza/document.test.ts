import { expect, test } from 'bun:test'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import { inSlices } from '../../../src/lib/slices.ts'
import { encodePlaza } from '../../../src/site/plaza/document.ts'
import type { PlazaDocument } from '../../../src/site/plaza/schema.ts'
import type { PriceTerms } from '../../../src/store/ports/catalog.ts'
import { catalogOf, type SoldGroup, type SoldModel, tokenTerms } from '../feed/catalogs.ts'

const textOf = (catalog: Catalog, description = '') => inSlices(encodePlaza(catalog, description))

async function groupsOf(groups: readonly SoldGroup[], models: readonly SoldModel[]) {
  const document: PlazaDocument = JSON.parse(await textOf(catalogOf(groups, models)))
  return document.data.groups
}

const free = { unit: 'free' } as const
const rates = (input: number, output: number) => ({
  input,
  output,
  cacheRead: null,
  cacheWrite: null,
  cacheWrite1h: null,
})

test('the document of CONTRACT 5, byte for byte', async () => {
  const groups = [
    {
      name: '默认【官转·稳定】',
      multiplierMillionths: 800_000,
      description: 'Alle "Modelle"',
      platform: 'openai',
    },
  ]
  const models = [
    { id: 'painter', terms: { unit: 'call', perCallNano: 40_000_000 } as const },
    { id: 'house-llm', terms: free },
    { id: 'gpt-5-mini', terms: tokenTerms(250_000, 2_000_000, { cacheRead: 25_000 }) },
    {
      id: 'long',
      terms: {
        unit: 'tokens',
        base: rates(1_250_000, 10_000_000),
        tiers: [
          { above: 200_000, ...rates(2_500_000, 15_000_000), cacheWrite: 3_000_000 },
          { above: 1_000_000, ...rates(5_000_000, 30_000_000) },
        ],
      } as const,
    },
  ]
  // By the list of the vendor whose protocol the channel speaks, where the price says nothing.
  const tools = (preview: string) =>
    '"tool_prices":{"code_execution":0.03,"file_search":0.0025,"image_generation":0.4,' +
    `"web_search":0.01,"web_search_preview":${preview},"x_search":0.005}`
  const listed = `"modality_prices":{},${tools('0.025')},"service_tiers":{"fast":2,"priority":2}`
  const nothing = '"modality_prices":{},"tool_prices":{},"service_tiers":{}'
  const none = '"cache_write_price":null,"cache_write_1h_price":null'
  expect(await textOf(catalogOf(groups, models), 'Preise')).toBe(
    '{"code":0,"message":"success","data":{"description":"Preise","groups":[{"id":1,' +
      '"name":"默认【官转·稳定】","description":"Alle \\"Modelle\\"","platform":"openai",' +
      '"rate_multiplier":0.8,"long_context_pricing_enabled":true,"models":[' +
      '{"name":"gpt-5-mini","platform":"openai","pricing":{"billing_mode":"token",' +
      '"input_price":0.00000025,"output_price":0.000002,"cache_write_price":0.00000025,' +
      '"cache_write_1h_price":0.00000025,"cache_read_price":0.000000025,' +
      `"per_request_price":null,"intervals":[],"modality_prices":{},${tools('0.01')},` +
      '"service_tiers":{"fast":2,"flex":0.5,"priority":2}},' +
      '"official_pricing":{"billing_mode":"token",' +
      `"input_price":0.00000025,"output_price":0.000002,${none},` +
      '"cache_read_price":0.000000025,"per_request_price":null,"intervals":[],' +
      '"modality_prices":{},"tool_prices":{"file_search":0.0025,"web_search":0.01},' +
      '"service_tiers":{}}},' +
      '{"name":"house-llm","platform":"openai","pricing":{"billing_mode":"token",' +
      '"input_price":0,"output_price":0,"cache_write_price":0,"cache_write_1h_price":0,' +
      `"cache_read_price":0,"per_request_price":null,"intervals":[],${nothing}},` +
      '"official_pricing":null},' +
      '{"name":"long","platform":"openai","pricing":{"billing_mode":"token",' +
      '"input_price":0.00000125,"output_price":0.00001,"cache_write_price":0.00000125,' +
      '"cache_write_1h_price":0.00000125,"cache_read_price":0.00000125,' +
      '"per_request_price":null,"intervals":[{"min_tokens":200000,"max_tokens":1000000,' +
      '"tier_label":"200K-1M","input_price":0.0000025,"output_price":0.000015,' +
      '"cache_write_price":0.000003,"cache_write_1h_price":0.000003,' +
      '"cache_read_price":0.0000025,"per_request_price":null},{"min_tokens":1000000,' +
      '"max_tokens":null,"tier_label":">1M","input_price":0.000005,"output_price":0.00003,' +
      '"cache_write_price":0.000005,"cache_write_1h_price":0.000005,' +
      `"cache_read_price":0.000005,"per_request_price":null}],${listed}},"official_pricing":null},` +
      '{"name":"painter","platform":"openai","pricing":{"billing_mode":"per_request",' +
      `"input_price":null,"output_price":null,${none},"cache_read_price":null,` +
      `"per_request_price":0.04,"intervals":[],${listed}},"official_pricing":null}]}]}}`,
  )
})

test('groups are sorted by multiplier, then name; models by name, by code point', async () => {
  const groups = [
    { name: 'b', multiplierMillionths: 1_000_000 },
    { name: '😀', multiplierMillionths: 900_000 },
    { name: '【', multiplierMillionths: 900_000 },
    { name: 'a', multiplierMillionths: 10_000_000 },
    { name: '\uFF08c', multiplierMillionths: 900_000 },
  ]
  const models = ['\u{1F600}', '\uFF08x', 'z', 'Z'].map((id) => ({ id, terms: free }))
  const found = await groupsOf(groups, models)
  expect(found.map(({ name }) => name)).toEqual(['【', '\uFF08c', '😀', 'b', 'a'])
  expect(found[0]?.models.map(({ name }) => name)).toEqual(['Z', 'z', '\uFF08x', '\u{1F600}'])
})

test('what can not be called is left out: disabled and empty groups, models without a channel', async () => {
  const models = [
    { id: 'm', terms: free },
    { id: 'removed', terms: { unit: 'none' } as const },
  ]
  const groups = [
    { name: 'off', status: 'disabled' as const },
    { name: 'no model', models: ['removed'] },
    { name: 'no channel', hasChannel: false },
    { name: 'on' },
  ]
  const found = await groupsOf(groups, models)
  expect(found.map(({ name, models }) => [name, models.map((one) => one.name)])).toEqual([
    ['on', ['m']],
  ])
  expect(JSON.parse(await textOf(catalogOf([], [])))).toEqual({
    code: 0,
    message: 'success',
    data: { description: '', groups: [] },
  })
})

test('tiers are shown where they are charged, and nowhere else', async () => {
  const terms: PriceTerms = {
    unit: 'tokens',
    base: rates(1_000_000, 2_000_000),
    tiers: [{ above: 131_072, ...rates(3_000_000, 4_000_000) }],
  }
  const groups = [
    { name: 'a', longContextPricing: true },
    { name: 'b', longContextPricing: false },
  ]
  const [on, off] = await groupsOf(groups, [{ id: 'm', terms }])
  expect(on?.models[0]?.pricing.intervals.map(({ tier_label }) => tier_label)).toEqual(['>131072'])
  expect(off).toMatchObject({
    long_context_pricing_enabled: false,
    models: [{ pricing: { input_price: 0.000001, intervals: [] } }],
  })
})

test("the vendor's list price has its own tiers and no price that the vendor does not name", async () => {
  const models = [
    { id: 'gemini-2.5-pro', terms: free },
    { id: 'gemini-2.5-pro-of-ours', terms: free },
  ]
  const [group] = await groupsOf([{ name: 'g', longContextPricing: false }], models)
  expect(group?.models.map(({ official_pricing }) => official_pricing)).toMatchObject([
    {
      billing_mode: 'token',
      input_price: 0.00000125,
      cache_write_price: null,
      intervals: [{ min_tokens: 200_000, max_tokens: null, input_price: 0.0000025 }],
    },
    null,
  ])
})

test.each([
  [1, '0.000000000001'],
  [999_999_999_999, '0.999999999999'],
  [1_000_000_000_001, '1'],
  [1_234_567_890_125, '1.23456789013'],
  [1_234_567_890_124, '1.23456789012'],
  [9_999_999_999_999, '10'],
  [9_007_199_254_740_991, '9007.19925474'],
])(
  '%d micro-USD per 1M tokens is %s USD per token: 12 digits, half up, no exponent',
  async (micro, usd) => {
    const catalog = catalogOf([{ name: 'g' }], [{ id: 'm', terms: tokenTerms(micro, 0) }])
    expect(await textOf(catalog)).toContain(`"input_price":${usd},"output_price":0,`)
  },
)

test("a model's own prices of tools, tiers and other tokens stand above the list", async () => {
  const plain = tokenTerms(1_000_000, 2_000_000)
  if (plain.unit !== 'tokens') throw new Error('not by tokens')
  const terms = {
    ...plain,
    extras: {
      tools: { web_search: 20_000_000, x_search: 0 },
      serviceTiers: { priority: 1_500_000 },
    },
  }
  const base = { ...plain.base, modalities: { outputAudio: 64_000_000 } }
  const models = [{ id: 'm', terms: { ...terms, base } }]
  const [group] = await groupsOf([{ name: 'g' }], models)
  expect(group?.models[0]?.pricing).toMatchObject({
    modality_prices: { output_audio: 0.000064 },
    tool_prices: { web_search: 0.02, file_search: 0.0025 },
    service_tiers: { priority: 1.5, fast: 2 },
  })
  expect(group?.models[0]?.pricing.tool_prices).not.toHaveProperty('x_search')
})
