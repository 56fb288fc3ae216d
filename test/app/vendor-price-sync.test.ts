import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { applyConfig, planConfig } from '../../src/app/apply.ts'
import type { Instance } from '../../src/app/instance.ts'
import { createVendorPriceSync, vendorPriceWrites } from '../../src/app/vendor-price-sync.ts'
import { findVendorPrice } from '../../src/catalog/vendor-prices.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import type { Writes } from '../../src/store/ports/admin.ts'
import type { PriceRow, PriceTerms } from '../../src/store/ports/catalog.ts'
import { until } from '../e2e/until.ts'
import { channelWrite, collect } from '../store/support.ts'
import { lendPlace, openStore } from '../support/empty-store.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { configOf, startServing } from './serving.ts'

const listed = (model: string): PriceTerms => {
  const found = findVendorPrice(model)
  if (found === undefined) throw new Error(`The list has no ${model} any more: take another model.`)
  return found.terms
}
const old: PriceTerms = { unit: 'call', perCallNano: 1 }
const row = (over: Partial<PriceRow>): PriceRow => ({
  id: 7,
  model: 'gpt-5-mini',
  terms: old,
  source: 'vendor',
  note: '',
  validFrom: 0,
  ...over,
})
const offer = (...models: string[]) => [
  { models: models.map((id) => ({ id, upstream: id })) },
  { models: [{ id: 'fast', upstream: 'gpt-5-nano' }] },
]

describe('which list prices are put in force', () => {
  const none: PriceTerms = { unit: 'none' }
  const cases: readonly (readonly [string, readonly PriceRow[], number | null | undefined])[] = [
    ['a model without any price', [], null],
    ['an older list price', [row({})], 7],
    ['the same list price', [row({ terms: listed('gpt-5-mini') })], undefined],
    ['a price of the configuration', [row({ source: 'config' })], undefined],
    ['a price of the operator', [row({ source: 'operator' })], undefined],
    ['a price that the operator removed', [row({ source: 'operator', terms: none })], undefined],
    ['a list price that was removed', [row({ terms: none })], undefined],
  ]
  test.each(cases)('%s', (_, prices, replaces) => {
    const write = {
      model: 'gpt-5-mini',
      terms: listed('gpt-5-mini'),
      source: 'vendor' as const,
      note: '',
    }
    const expected = replaces === undefined ? [] : [{ ...write, replaces }]
    expect(vendorPriceWrites({ channels: offer('gpt-5-mini'), prices })).toEqual(expected)
  })

  test('none for models that nobody lists, or that only their upstream calls so', () => {
    expect(vendorPriceWrites({ channels: offer('own-model', 'GPT-5-mini'), prices: [] })).toEqual(
      [],
    )
  })

  test('a list price is by the name that is sold, whatever its upstream is called', () => {
    const channels = [{ models: [{ id: 'gpt-5-mini', upstream: 'my-deployment' }] }]
    expect(vendorPriceWrites({ channels, prices: [] })).toHaveLength(1)
  })

  test('a list price that the list no longer has stays', () => {
    const prices = [row({ model: 'own-model' })]
    expect(vendorPriceWrites({ channels: offer('own-model'), prices })).toEqual([])
  })
})

describe('plan and apply', () => {
  const yaml = (models: readonly string[], prices: object) =>
    configOf(
      JSON.stringify({
        channels: [{ name: 'c', speaks: { chat: 'https://e.example/v1' }, api_key: 'k', models }],
        groups: [{ name: 'g', channels: ['c'] }],
        prices,
      }),
    )
  const open = async () => ({
    store: await openStore(systemClock),
    secrets: createSecretBox('a secret of this test'),
  })
  const own = { input: 9, output: 9 }
  const inForce = async (instance: Pick<Instance, 'store'>) =>
    Object.fromEntries(
      (await instance.store.catalog.load()).prices.map((one) => [
        one.model,
        one.terms.unit === 'none' ? 'none' : one.source,
      ]),
    )

  test('show list prices as changes, once', async () => {
    const config = yaml(['gpt-5-mini', 'gpt-4o', 'own-model'], { 'gpt-4o': own })
    const instance = await open()
    const { changes } = await applyConfig(instance, config, { prune: false })
    expect(changes.filter(({ kind }) => kind === 'price')).toMatchObject([
      { action: 'create', name: 'gpt-4o' },
      { action: 'create', name: 'gpt-5-mini' },
    ])
    expect(changes.at(-1)?.fields).toContainEqual({ field: 'source', from: null, to: 'vendor' })
    expect(await inForce(instance)).toEqual({ 'gpt-4o': 'config', 'gpt-5-mini': 'vendor' })
    for (const prune of [true, false])
      expect((await planConfig(instance, config, { prune })).changes).toEqual([])
    await instance.store.close()
  })

  test('a price that leaves the file stays, and falls back on the list when pruned', async () => {
    const before = yaml(['gpt-5-mini', 'own-model'], { 'gpt-5-mini': own, 'own-model': own })
    const after = yaml(['gpt-5-mini', 'own-model'], {})
    const instance = await open()
    await applyConfig(instance, before, { prune: false })
    expect((await applyConfig(instance, after, { prune: false })).changes).toEqual([])
    expect((await applyConfig(instance, after, { prune: true })).changes).toMatchObject([
      { action: 'update', name: 'gpt-5-mini' },
      { action: 'remove', name: 'own-model' },
    ])
    expect(await inForce(instance)).toEqual({ 'gpt-5-mini': 'vendor', 'own-model': 'none' })
    await instance.store.close()
  })

  test('pruning a channel leaves the list prices of its models alone', async () => {
    const before = yaml(['gpt-5-mini', 'gpt-4o'], {})
    const instance = await open()
    await applyConfig(instance, before, { prune: false })
    await applyConfig(instance, yaml(['gpt-4o'], {}), { prune: true })
    expect(await inForce(instance)).toEqual({ 'gpt-5-mini': 'vendor', 'gpt-4o': 'vendor' })
    await instance.store.close()
  })

  test('a price that changes meanwhile is not overwritten', async () => {
    const config = yaml(['gpt-5-mini'], {})
    const instance = await open()
    const plan = await planConfig(instance, config, { prune: false })
    await instance.store.admin.write({
      prices: [{ model: 'gpt-5-mini', terms: old, source: 'operator', note: '' }],
    })
    await instance.store.admin.write(plan.writes)
    expect(await inForce(instance)).toEqual({ 'gpt-5-mini': 'operator' })
    await instance.store.close()
  })
})

describe('the gateway', () => {
  let upstream: FakeUpstream
  beforeAll(() => {
    upstream = startFakeUpstream(() =>
      jsonAnswer({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: 'gpt-5-mini',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' },
        ],
        usage: {
          prompt_tokens: 1000,
          completion_tokens: 100,
          total_tokens: 1100,
          prompt_tokens_details: { cached_tokens: 400 },
        },
      }),
    )
  })
  afterAll(() => upstream[Symbol.asyncDispose]())

  const ask = { messages: [{ role: 'user', content: 'hello' }] }
  const listedIds = (list: unknown) => (list as { data: { id: string }[] }).data.map(({ id }) => id)

  test('B13: a model of the list needs no entry: listed, callable, charged; others are not', async () => {
    const models = ['gpt-5-mini', 'own-model', { id: 'fast', upstream: 'gpt-5-nano' }]
    const yaml = { upstream: upstream.url, models, group: { rate_multiplier: 0.8 } }
    await using running = await startServing({ ...yaml, onlyPrices: {} })
    const { store } = running.instance
    expect(listedIds(await running.get('/v1/models'))).toEqual(['gpt-5-mini'])

    const answer = await running.ask('/v1/chat/completions', { model: 'gpt-5-mini', ...ask })
    expect(answer.status).toBe(200)
    await answer.text()
    for (const model of ['own-model', 'fast']) {
      const refused = await running.ask('/v1/chat/completions', { model, ...ask })
      expect(refused.status).toBe(404)
      expect(await refused.json()).toMatchObject({ error: { code: 'model_not_found' } })
      expect(refused.headers.get('x-tollgate-reason')).toBe('model_not_found')
    }
    const [request] = await collect(store.records.exportRequests({}))
    const [price] = (await store.catalog.load()).prices
    expect(price).toMatchObject({
      model: 'gpt-5-mini',
      source: 'vendor',
      id: request?.priceId ?? 0,
    })
    // 600 × 0.25 + 400 × 0.025 + 100 × 2 USD per 1M, × 0.8
    expect(request?.amountNano).toBe((600 * 250 + 400 * 25 + 100 * 2000) * 0.8)
    expect(await store.catalog.priceHistory()).toHaveLength(1)
  })

  test('an own price comes and goes; every change is a row of its history', async () => {
    const yaml = { upstream: upstream.url, models: ['gpt-5-mini'] }
    await using running = await startServing({ ...yaml, onlyPrices: {} })
    const { store } = running.instance
    await running.configure({ onlyPrices: { 'gpt-5-mini': { input: 7, output: 8 } } })
    await running.configure({ onlyPrices: {} })
    const history = await store.catalog.priceHistory('gpt-5-mini')
    expect(history.map(({ source }) => source)).toEqual(['vendor', 'config'])
    expect(running.complaints).toEqual([])
  })

  test('a channel that another process adds is sold at the list price within a second', async () => {
    await using place = await lendPlace()
    const yaml = { upstream: upstream.url, models: ['gpt-5-mini'], store: place.store }
    await using running = await startServing({ ...yaml, onlyPrices: {} })
    const beside = await place.open(systemClock)
    const { catalog, admin } = beside
    const [main] = (await catalog.load()).channels
    const [group] = (await catalog.load()).groups
    if (!main || !group) throw new Error('The configuration was not applied.')
    await admin.write({
      channels: [
        channelWrite({
          name: 'second',
          models: [{ id: 'gpt-4o', upstream: 'gpt-4o' }],
          keysSealed: main.keysSealed,
        }),
      ],
      groups: [{ ...group, channels: ['main', 'second'] }],
    })
    await until('gpt-4o is listed', async () =>
      listedIds(await running.get('/v1/models')).includes('gpt-4o'),
    )
    expect((await catalog.load()).prices).toMatchObject([
      { model: 'gpt-4o', source: 'vendor', terms: listed('gpt-4o') },
      { model: 'gpt-5-mini' },
    ])
    expect(await createVendorPriceSync(beside, [])()).toBe(0)
    await beside.close()
  })

  test('leaves a list price of another version alone, until it starts again', async () => {
    await using place = await lendPlace()
    const yaml = { upstream: upstream.url, models: ['gpt-5-mini'], store: place.store }
    const beside = await place.open(systemClock)
    const history = () => beside.catalog.priceHistory('gpt-5-mini')
    {
      await using _ = await startServing({ ...yaml, onlyPrices: {} })
      await beside.admin.write({
        prices: [{ model: 'gpt-5-mini', terms: old, source: 'vendor', note: '' }],
      })
      await Bun.sleep(1_500) // it looks for changes every half second
      expect((await history()).map(({ terms }) => terms)).toEqual([listed('gpt-5-mini'), old])
    }
    await using _ = await startServing({ ...yaml, onlyPrices: {} })
    expect((await history()).at(-1)?.terms).toEqual(listed('gpt-5-mini'))
    await beside.close()
  })

  test('asks its own list for what it has not offered before', async () => {
    const store = await openStore(systemClock)
    const models = [{ id: 'gpt-5-mini', upstream: 'gpt-5-mini' }]
    await store.admin.write({
      channels: [channelWrite({ name: 'main', models })],
      prices: [{ model: 'gpt-5-mini', terms: old, source: 'vendor', note: '' }],
    })
    const { channels } = await store.catalog.load()
    expect(await createVendorPriceSync(store, channels)()).toBe(0)
    let isLocked = true
    const write = async (writes: Writes) => {
      if (isLocked) throw new Error('locked')
      await store.admin.write(writes)
    }
    const sync = createVendorPriceSync({ ...store, admin: { ...store.admin, write } }, [])
    await expect(sync()).rejects.toThrow('locked')
    isLocked = false
    expect(await sync()).toBe(1)
    expect(await sync()).toBe(0)
    expect((await store.catalog.load()).prices).toMatchObject([{ terms: listed('gpt-5-mini') }])
    await store.close()
  })
})
