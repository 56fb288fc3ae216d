import { describe, expect, test } from 'bun:test'
import type { PriceForm } from '../../../src/app/prices/price-list.ts'
import { loadPriceList, readPriceList } from '../../../src/app/prices/read-price-list.ts'

const folder = `${import.meta.dir}/../../fixtures/prices`
const forms: readonly PriceForm[] = ['catalog', 'litellm', 'feed', 'config']
const load = (file: string, group?: string) =>
  loadPriceList({ from: `${folder}/${file}`, group, forms })
const read = (document: unknown, over: { readonly forms?: readonly PriceForm[] } = {}) =>
  readPriceList(JSON.stringify(document), { from: 'x.json', forms, ...over })

const tokens = (
  [input, output, cacheRead, cacheWrite, cacheWrite1h]: readonly (number | null)[],
  tiers: readonly object[] = [],
) => ({
  unit: 'tokens' as const,
  base: { input, output, cacheRead, cacheWrite, cacheWrite1h },
  tiers,
})
const rates = (above: number, [input, output, cacheRead, cacheWrite, cacheWrite1h]: number[]) => ({
  above,
  input,
  output,
  cacheRead,
  cacheWrite,
  cacheWrite1h,
})

describe("the catalog's own form", () => {
  test('is found by id, alias and date, with tiers', async () => {
    const list = await load('catalog.json')
    expect(list).toMatchObject({ form: 'catalog' })
    expect(list.models).toEqual(['house-large', 'house-small', 'not-offered'])
    const large = list.find('house-large')
    expect<unknown>(large).toEqual({
      rounded: false,
      terms: tokens(
        [1_250_000, 10_000_000, 125_000, null, null],
        [
          {
            ...rates(200_000, [2_500_000, 15_000_000, 250_000]),
            cacheWrite: null,
            cacheWrite1h: null,
          },
        ],
      ),
    })
    expect(list.find('house-large-latest')).toEqual(large)
    expect(list.find('house-large-20260101')).toEqual(large)
    expect(list.find('house-large-2026')).toBeUndefined()
  })

  test('the data of the program itself is such a list', async () => {
    const { find, models } = await loadPriceList({
      from: `${import.meta.dir}/../../../data/vendor-prices.json`,
      forms,
    })
    for (const model of models) expect(find(model)).toHaveProperty('terms')
  })
})

describe("LiteLLM's form", () => {
  const cases: readonly (readonly [string, object])[] = [
    [
      'house-large',
      {
        rounded: false,
        terms: tokens(
          [1_250_000, 10_000_000, 125_000, 1_562_500, 2_500_000],
          [rates(200_000, [2_500_000, 15_000_000, 250_000, 3_125_000, 5_000_000])],
        ),
      },
    ],
    // Noise of a float in the file is no finer price.
    ['house-small', { rounded: false, terms: tokens([450_000, 2_000_000, null, null, null]) }],
    // 0.1234567890123 and 0.0000005 USD per 1M: half a micro-USD is rounded up.
    ['house-fine', { rounded: true, terms: tokens([123_457, 1, null, null, null]) }],
    ['house-embed', { rounded: false, terms: tokens([20_000, 0, null, null, null]) }],
    ['house-painter', { rounded: false, terms: { unit: 'call', perCallNano: 40_000_000 } }],
    ['house-retoucher', { rounded: false, terms: { unit: 'call', perCallNano: 25_000_000 } }],
    ['house-pixels', { reason: 'no price by the token or by the image' }],
    ['house-thinker', { reason: 'reasoning has a price of its own' }],
    ['house-free', { reason: expect.stringContaining('costs nothing there') }],
    ['house-ranges', { reason: 'priced by tiered_pricing, which is not read' }],
    ['house-search', { reason: 'a fee for every query besides its tokens' }],
    ['house-speech', { reason: 'no price of input tokens' }],
    ['house-half', { reason: 'no price of output tokens' }],
  ]
  test.each(cases)('%s', async (model, expected) => {
    expect<unknown>((await load('litellm.json')).find(model)).toEqual(expected)
  })

  test('tools, service tiers and tokens that are no text have prices there, too', () => {
    const entry = {
      ...{ litellm_provider: 'openai', input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5 },
      ...{ input_cost_per_audio_token: 3.2e-5, output_cost_per_audio_token: 6.4e-5 },
      ...{ input_cost_per_token_priority: 4.25e-6, output_cost_per_token_priority: 1.7e-5 },
      ...{ input_cost_per_token_flex: 1.25e-6, file_search_cost_per_1k_calls: 2.5 },
      search_context_cost_per_query: {
        ...{ search_context_size_low: 0.025, search_context_size_high: 0.05 },
      },
      provider_specific_entry: { fast: 6, eu: 3 },
    }
    expect(read({ 'house-speaker': entry }).find('house-speaker')).toMatchObject({
      terms: {
        base: { modalities: { inputAudio: 32_000_000, outputAudio: 64_000_000 } },
        extras: {
          tools: { file_search: 2_500_000, web_search: 50_000_000 },
          serviceTiers: { priority: 1_700_000, flex: 500_000, fast: 6_000_000 },
        },
      },
    })
  })

  test('what is no model is none', async () => {
    const list = await load('litellm.json')
    expect(list.form).toBe('litellm')
    expect(list.find('sample_spec')).toBeUndefined()
    expect(list.find('fallback_generalizations')).toBeUndefined()
    expect(list.find('__proto__')).toBeUndefined()
  })

  test('a broken entry is told with its path, when it is asked for', async () => {
    const list = await load('litellm.json')
    expect(() => list.find('house-broken')).toThrow(
      /litellm\.json: house-broken\.input_cost_per_token is "cheap", but must be a number of at least 0 or null\.\n.*house-broken\.output_cost_per_token is -1/,
    )
  })
})

describe("another gateway's feed", () => {
  const group = '默认【官转·稳定】'
  const cases: readonly (readonly [string, object | undefined])[] = [
    [
      'house-large',
      { rounded: false, terms: tokens([1_000_000, 8_000_000, 100_000, 1_250_000, 2_000_000]) },
    ],
    // 0.2468024 has seven decimals.
    [
      'house-small',
      { rounded: true, terms: tokens([246_802, 1_600_000, 24_000, 300_000, 480_000]) },
    ],
    ['house-painter', { rounded: false, terms: { unit: 'call', perCallNano: 32_000_000 } }],
    ['house-off', undefined],
    ['house-free', { reason: expect.stringContaining('costs nothing there') }],
  ]
  test.each(cases)('%s', async (model, expected) => {
    expect<unknown>((await load('feed.json', group)).find(model)).toEqual(expected)
  })

  test('asks whose prices when there are several groups, and tells them', async () => {
    expect(await load('feed.json', 'vip')).toMatchObject({
      form: 'feed',
      models: ['house-large'],
    })
    await expect(load('feed.json')).rejects.toThrow(
      'has several groups; choose one of: "默认【官转·稳定】", "vip".',
    )
    await expect(load('feed.json', 'VIP')).rejects.toThrow('no enabled entries of the group "VIP"')
    await expect(load('catalog.json', 'vip')).rejects.toThrow('is no price feed')
  })
})

test('a tollgate.yaml is read for its prices alone', async () => {
  const list = await load('next.yaml')
  expect(list).toMatchObject({ form: 'config', models: ['house-large', 'house-painter'] })
  expect(list.find('house-painter')).toMatchObject({
    terms: { unit: 'call', perCallNano: 50_000_000 },
  })
})

describe('refused', () => {
  const good = { id: 'a', vendor: 'v', input: 1, output: 2, cacheRead: null, cacheWrite: null }
  const rest = { cacheWrite1h: null, contextWindow: null, maxOutput: null, until: null }
  const lists = { tiers: [], aliases: [], dated: [] }
  const entry = { ...good, ...rest, ...lists }
  const catalog = (...models: object[]) => ({ source: 's', date: '2026-01-01', models })
  const cases: readonly (readonly [string, unknown, string])[] = [
    [
      'a price that is a text',
      catalog({ ...entry, input: '1' }),
      'models[0].input is "1", but must',
    ],
    [
      'a negative price',
      catalog(entry, { ...entry, id: 'b', output: -1 }),
      'models[1].output is -1',
    ],
    ['a missing field', catalog({ ...entry, aliases: undefined }), 'models[0].aliases is missing'],
    [
      'an unknown field',
      catalog({ ...entry, cost: 1 }),
      'models[0].cost is no known field: leave it out',
    ],
    [
      'a name twice',
      catalog(entry, { ...entry }),
      'models[1] has the name "a", which models[0] has',
    ],
    [
      'tiers that go down',
      catalog({
        ...entry,
        tiers: [9, 8].map((above) => ({ above, input: 1, output: 1, ...nulls })),
      }),
      'models[0].tiers[1].above is 8, but tiers must go up',
    ],
    ['a broken feed', { schema_version: '2.0', data: {} }, 'schema_version: "2.0" should be'],
    ['another document', { hello: 'world' }, 'x.json has none of the known forms'],
    ['a list', [], 'x.json has none of the known forms'],
    ['an absurd price', { a: { input_cost_per_token: 1e9 } }, 'a.input_cost_per_token'],
  ]
  test.each(cases)('%s', (_, document, message) => {
    expect(() => read(document).find('a')).toThrow(message)
  })

  test('what is no JSON, where only lists make sense', () => {
    const options = { from: 'x', forms: ['catalog', 'litellm', 'feed'] as const }
    expect(() => readPriceList('{', options)).toThrow('x is not JSON: ')
    expect(() => readPriceList('prices: {}', options)).toThrow('x is not JSON: ')
  })

  test('a configuration without prices, and one with wrong ones', () => {
    const options = { from: 'x.yaml', forms }
    expect(() => readPriceList('site: {}', options)).toThrow('has no prices: in it')
    expect(() => readPriceList('prices:\n  a: { input: 1, output: x }', options)).toThrow(
      'x.yaml:2:26: prices.a.output: "x" is not a price',
    )
  })
})

const nulls = { cacheRead: null, cacheWrite: null, cacheWrite1h: null }

describe('from the web', () => {
  const serve = (fetch: () => Response | Promise<Response>) =>
    Bun.serve({ port: 0, hostname: '127.0.0.1', reusePort: false, development: false, fetch })

  test('a list is read from an address', async () => {
    const text = await Bun.file(`${folder}/catalog.json`).text()
    await using server = serve(() => new Response(text))
    const list = await loadPriceList({ from: server.url.href, forms })
    expect(list.models).toContain('house-large')
  })

  test('an address that has none is told with its reason', async () => {
    await using server = serve(() => new Response('gone', { status: 404 }))
    const from = server.url.href
    await expect(loadPriceList({ from, forms })).rejects.toThrow(`${from} can't be read: `)
    await expect(loadPriceList({ from, forms })).rejects.toThrow('404')
    await expect(loadPriceList({ from: 'ftp://e.example/x', forms })).rejects.toThrow('http(s)://')
    await expect(loadPriceList({ from: '/no/such/file', forms })).rejects.toThrow('ENOENT')
  })

  test('more than 64 MiB is refused', async () => {
    const megabyte = new Uint8Array(1024 * 1024).fill(32)
    await using server = serve(
      () =>
        new Response(
          new ReadableStream({
            start(stream) {
              for (let sent = 0; sent < 66; sent++) stream.enqueue(megabyte)
              stream.close()
            },
          }),
        ),
    )
    await expect(loadPriceList({ from: server.url.href, forms })).rejects.toThrow('longer than')
  })
})
