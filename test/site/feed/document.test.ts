import { expect, test } from 'bun:test'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import { inSlices } from '../../../src/lib/slices.ts'
import { encodeEntries, encodeFailure, encodeFeed } from '../../../src/site/feed/document.ts'
import { validateFeed } from '../../../src/site/feed/validate.ts'
import { catalogOf, tokenTerms } from './catalogs.ts'

const site = { name: 'My gateway', domain: 'gateway.example.com', currency: 'CNY' }
const noon = Date.UTC(2026, 10, 21, 12)

const textOf = async (catalog: Catalog) =>
  encodeFeed(site, await inSlices(encodeEntries(catalog)), noon)

async function entriesOf(catalog: Catalog): Promise<Record<string, unknown>[]> {
  return JSON.parse(await textOf(catalog)).data.models
}

test('the document of SPEC 2.6, byte for byte', async () => {
  const groups = [{ name: '默认【官转·稳定】', multiplierMillionths: 800_000 }]
  const models = [
    { id: 'gpt-5-mini', terms: tokenTerms(250_000, 2_000_000, { cacheRead: 25_000 }) },
    { id: 'painter', terms: { unit: 'call', perCallNano: 40_000_000 } as const, note: '每次' },
    { id: 'house-llm', terms: { unit: 'free' } as const },
  ]
  expect(await textOf(catalogOf(groups, models))).toBe(
    '{"schema_version":"1.0","success":true,"message":"","data":{"currency":"CNY",' +
      '"price_unit":"per_1m_tokens","site_name":"My gateway","site_domain":"gateway.example.com",' +
      '"updated_at":"2026-11-21T12:00:00.000Z","models":[' +
      '{"model_name":"gpt-5-mini","group_name":"默认【官转·稳定】","input_price":0.2,' +
      '"output_price":1.6,"cache_input_price":0.02,"cache_create_price":0.2,' +
      '"cache_create_price_1h":0.2,"enabled":true,"note":""},' +
      '{"model_name":"house-llm","group_name":"默认【官转·稳定】","input_price":0,' +
      '"output_price":0,"cache_input_price":0,"cache_create_price":0,' +
      '"cache_create_price_1h":0,"enabled":true,"note":""},' +
      '{"model_name":"painter","group_name":"默认【官转·稳定】","price_unit":"per_call",' +
      '"unit_price":0.032,"enabled":true,"note":"每次"}]}}',
  )
})

test('prices are exact where a number of JavaScript is not, and have no exponent', async () => {
  const groups = [{ name: 'g', multiplierMillionths: 1_000_001 }]
  const models = [
    { id: 'large', terms: tokenTerms(9_007_199_254_740_991, 9_000_000_000_000_001) },
    { id: 'small', terms: tokenTerms(1, 3) },
    { id: 'call', terms: { unit: 'call', perCallNano: 1 } as const },
  ]
  const text = await textOf(catalogOf(groups, models))
  // 9007199254.740991 × 1.000001 and so on, calculated by hand.
  expect(text).toContain('"input_price":9007208261.940245740991,')
  expect(text).toContain('"output_price":9000009000.000001000001,')
  expect(text).toContain('"input_price":0.000001000001,"output_price":0.000003000003,')
  expect(text).toContain('"unit_price":0.000000001000001,')
})

test('a cache price that is not set is the price that is charged instead', async () => {
  const models = [
    { id: 'a', terms: tokenTerms(3_000_000, 5_000_000) },
    { id: 'b', terms: tokenTerms(3_000_000, 5_000_000, { cacheWrite: 4_000_000 }) },
    { id: 'c', terms: tokenTerms(3_000_000, 5_000_000, { cacheRead: 0, cacheWrite1h: 6_000_000 }) },
  ]
  const prices = (await entriesOf(catalogOf([{ name: 'g' }], models))).map((entry) => [
    entry.cache_input_price,
    entry.cache_create_price,
    entry.cache_create_price_1h,
  ])
  expect(prices).toEqual([
    [3, 3, 3],
    [3, 4, 4],
    [0, 3, 6],
  ])
})

test('sorted by group, then model, by code point: emoji come after full-width brackets', async () => {
  const groups = ['😀', '\uFF08b\uFF09', 'B', 'a', '【'].map((name) => ({ name }))
  const models = ['\u{1F600}', '\uFF08x', 'z', 'Z'].map((id) => ({ id, terms: tokenTerms(1, 1) }))
  const entries = await entriesOf(catalogOf(groups, models))
  expect(entries.map((entry) => entry.group_name)).toEqual(
    ['B', 'a', '【', '\uFF08b\uFF09', '😀'].flatMap((name) => [name, name, name, name]),
  )
  expect(entries.slice(0, 4).map((entry) => entry.model_name)).toEqual([
    'Z',
    'z',
    '\uFF08x',
    '\u{1F600}',
  ])
})

test('an entry that nobody can call at present stays, as not enabled; one without a price goes', async () => {
  const groups = [
    { name: 'a: no channel', hasChannel: false },
    { name: 'b: disabled', status: 'disabled' as const },
    { name: 'c: fine' },
  ]
  const models = [
    { id: 'priced', terms: tokenTerms(1, 1) },
    { id: 'removed', terms: { unit: 'none' } as const },
  ]
  const entries = await entriesOf(catalogOf(groups, models))
  expect(entries.map(({ model_name, enabled }) => [model_name, enabled])).toEqual([
    ['priced', false],
    ['priced', false],
    ['priced', true],
  ])
})

test('names and notes that JSON must escape come back as they were', async () => {
  const name = 'q"u\\o\te\u2028【】·'
  const models = [{ id: name, terms: tokenTerms(1, 1), note: name }]
  const [entry] = await entriesOf(catalogOf([{ name }], models))
  expect(entry).toMatchObject({ model_name: name, group_name: name, note: name })
})

test('no entries is a document too, and a failure has its own shape', async () => {
  expect(validateFeed(await textOf(catalogOf([], []))).ok).toBe(true)
  expect(JSON.parse(encodeFailure('broken'))).toEqual({
    schema_version: '1.0',
    success: false,
    message: 'broken',
    data: null,
  })
})

test('what the price names beside text is told in the note, at what it costs in the group', async () => {
  const plain = tokenTerms(1_000_000, 2_000_000)
  if (plain.unit !== 'tokens') throw new Error('not by tokens')
  const models = [
    {
      id: 'm',
      terms: {
        ...plain,
        base: { ...plain.base, modalities: { inputAudio: 10_000_000 } },
        extras: { tools: { web_search: 10_000_000, mcp: 0 }, serviceTiers: { flex: 500_000 } },
      },
      note: 'beta',
    },
  ]
  const [entry] = await entriesOf(catalogOf([{ name: 'g', multiplierMillionths: 800_000 }], models))
  expect(entry).toMatchObject({
    input_price: 0.8,
    note: 'beta; input audio 8 USD per 1M tokens; web search 0.008 USD each; mcp free; service tier flex × 0.5',
  })
})
