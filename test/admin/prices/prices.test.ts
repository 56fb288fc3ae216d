import { afterAll, describe, expect, test } from 'bun:test'
import { people, startConsoleScene } from '../../support/console-scene.ts'

const scene = await startConsoleScene({
  prices: { 'other-model': { input: 3, output: 4 } },
  group: { rate_multiplier: 0.7, channels: ['main', 'more'] },
  moreChannels: [
    {
      name: 'more',
      speaks: { chat: 'http://127.0.0.1:9/v1' },
      api_key: 'another-upstream-key',
      models: ['unpriced/model'],
      allow_private: true,
    },
  ],
  moreGroups: [
    {
      name: '【特价】组·A',
      channels: ['main'],
      rate_multiplier: '1.234567',
      models: ['test-model'],
    },
  ],
})
afterAll(scene.stop)

const at = (model: string, rest = '') => `/api/v1/admin/prices/${encodeURIComponent(model)}${rest}`
const priceOf = async (model: string) => {
  const { data } = await scene.ask('admin', 'GET', at(model))
  return data.price as { id: number; terms: object; source: string; note: string } | null
}
const idOf = async (model: string) => (await priceOf(model))?.id ?? null
const audit = async () => (await scene.store.admin.audit(100)).map(({ action }) => action)

describe('who may see and set prices', () => {
  const routes = [
    ['GET', '/api/v1/admin/prices', undefined],
    ['GET', at('test-model'), undefined],
    ['GET', at('test-model', '/history'), undefined],
    ['PUT', at('test-model'), { input: '9', output: '9', replaces: 1 }],
    ['DELETE', at('test-model'), { replaces: 1 }],
    ['POST', at('test-model', '/preview'), { free: true }],
    ['POST', at('test-model', '/simulate'), { free: true, days: 7 }],
    ['GET', '/api/v1/admin/feed', undefined],
  ] as const
  for (const [method, path, body] of routes) {
    test(`${method} ${path}: administrators only`, async () => {
      expect((await scene.ask(null, method, path, body)).status).toBe(401)
      expect((await scene.ask('user', method, path, body)).status).toBe(403)
    })
  }
})

describe('the list', () => {
  test('begins with what is offered without a price', async () => {
    const { data } = await scene.ask('admin', 'GET', '/api/v1/admin/prices')
    const items = data.items as { model: string; is_missing: boolean; in_file: boolean }[]
    expect(items.map(({ model }) => model)).toEqual(['unpriced/model', 'other-model', 'test-model'])
    expect(items[0]).toMatchObject({ is_missing: true, is_callable: false, price: null })
    expect(items[2]).toMatchObject({
      is_callable: true,
      in_file: true,
      price: { source: 'config', terms: { unit: 'tokens', input: '1', cache_read: null } },
      groups: [{ name: 'default', rate_multiplier: '0.7' }, { rate_multiplier: '1.234567' }],
      channels: [{ name: 'main', status: 'active' }],
    })
  })

  test('comes in pages', async () => {
    const first = await scene.ask('admin', 'GET', '/api/v1/admin/prices?page_size=2')
    expect(first.data).toMatchObject({ total: 3, total_is_exact: true, page: 1 })
    const second = await scene.ask(
      'admin',
      'GET',
      `/api/v1/admin/prices?page_size=2&cursor=${first.data.next}`,
    )
    expect(second.data).toMatchObject({ items: [{ model: 'test-model' }], page: 2, next: null })
    const bad = await scene.ask('admin', 'GET', '/api/v1/admin/prices?cursor=nonsense')
    expect([bad.status, bad.field]).toEqual([400, 'cursor'])
  })

  test('is searched, filtered and sorted', async () => {
    const modelsOf = async (query: string) => {
      const { data } = await scene.ask('admin', 'GET', `/api/v1/admin/prices?${query}`)
      return (data.items as { model: string }[]).map(({ model }) => model)
    }
    expect(await modelsOf('search=OTHER')).toEqual(['other-model'])
    expect(await modelsOf('state=missing')).toEqual(['unpriced/model'])
    expect(await modelsOf('state=vendor')).toEqual([])
    expect(await modelsOf('sort=output')).toEqual(['test-model', 'other-model', 'unpriced/model'])
    expect((await modelsOf('sort=-output'))[0]).toBe('other-model')
  })
})

describe('setting a price', () => {
  test('makes an unpriced model callable at once, at that price', async () => {
    expect((await scene.chat('unpriced/model')).status).toBe(404)
    const body = { input: '10', output: '20.5', note: 'new', replaces: null }
    const { status, data } = await scene.ask('admin', 'PUT', at('unpriced/model'), body)
    expect(status).toBe(200)
    expect(data).toMatchObject({
      is_missing: false,
      is_callable: true,
      price: { source: 'operator', note: 'new', terms: { input: '10', output: '20.5' } },
    })
    // Its upstream is nowhere; that it is asked shows that the model is sold.
    expect((await scene.chat('unpriced/model')).status).toBe(502)
    const entry = (await scene.store.admin.audit(1))[0]
    expect(entry).toMatchObject({
      actor: 'admin@example.com',
      action: 'price.set',
      subject: 'unpriced/model',
      detail: { from: null, to: { input: 10_000_000, output: 20_500_000 } },
    })
  })

  test('keeps the remark and the context window when they are not named', async () => {
    const replaces = await idOf('unpriced/model')
    const body = { input: '10', output: '21', context_window: 1000, replaces }
    await scene.ask('admin', 'PUT', at('unpriced/model'), body)
    const next = { input: '10', output: '22', replaces: await idOf('unpriced/model') }
    const { data } = await scene.ask('admin', 'PUT', at('unpriced/model'), next)
    expect(data.price).toMatchObject({ note: 'new', context_window: 1000 })
  })

  test('the same once more adds neither a price nor an audit row', async () => {
    const before = await audit()
    const replaces = await idOf('unpriced/model')
    const body = { input: '10.0', output: '22', replaces }
    const { status, data } = await scene.ask('admin', 'PUT', at('unpriced/model'), body)
    expect([status, (data.price as { id: number }).id]).toEqual([200, replaces as number])
    expect(await audit()).toEqual(before)
  })

  test('conflicts with a price that somebody else has set meanwhile, and tells it', async () => {
    const stale = { input: '1', output: '1', replaces: null }
    const { status, reason, data } = await scene.ask('admin', 'PUT', at('unpriced/model'), stale)
    expect([status, reason]).toEqual([409, 'conflict'])
    expect(data).toMatchObject({ price: { terms: { output: '22' } } })
  })

  test('names the field at fault, with the words of the file', async () => {
    const refused = async (body: object) => {
      const replaces = await idOf('test-model')
      const answer = await scene.ask('admin', 'PUT', at('test-model'), { ...body, replaces })
      return [answer.status, answer.field, answer.message] as const
    }
    expect(await refused({ input: 'abc', output: '1' })).toEqual([
      400,
      'input',
      'input: "abc" is not a price: write USD per 1M tokens as a plain number with at most 6 decimals, such as 0.25.',
    ])
    expect((await refused({ input: '-1', output: '1' }))[1]).toBe('input')
    expect((await refused({ input: '1' }))[1]).toBe('output')
    expect((await refused({ per_call: '0.1', input: '1', output: '2' }))[0]).toBe(400)
    expect((await refused({}))[0]).toBe(400)
    const tiers = [{ above: 10, input: '1', output: 'x' }]
    expect((await refused({ input: '1', output: '2', tiers }))[1]).toBe('tiers.0.output')
    expect((await refused({ free: true, note: 'two\nlines' }))[1]).toBe('note')
    // What looks like a reference to the environment is only text.
    expect((await refused({ input: `\${HOME}`, output: '1' }))[2]).toContain('is not a price')
    expect(await priceOf('test-model')).toMatchObject({ source: 'config', terms: { input: '1' } })
  })
})

describe('removing an override', () => {
  test('takes a model away that no vendor has a price of', async () => {
    const replaces = await idOf('unpriced/model')
    const { data } = await scene.ask('admin', 'DELETE', at('unpriced/model'), { replaces })
    expect(data).toMatchObject({ result: 'not_callable', price: { is_missing: true } })
    expect((await scene.chat('unpriced/model')).status).toBe(404)
    expect((await audit()).at(-1)).toBe('price.remove')
  })

  test("goes back to the vendor's list price where there is one", async () => {
    const body = { input: '1', output: '1', replaces: null }
    const set = await scene.ask('admin', 'PUT', at('gpt-5-nano'), body)
    const replaces = (set.data.price as { id: number }).id
    const { data } = await scene.ask('admin', 'DELETE', at('gpt-5-nano'), { replaces })
    expect(data).toMatchObject({ result: 'list_price', price: { price: { source: 'vendor' } } })
    const next = { replaces: await idOf('gpt-5-nano'), to: 'not_callable' }
    const away = await scene.ask('admin', 'DELETE', at('gpt-5-nano'), next)
    expect(away.data).toMatchObject({ result: 'not_callable' })
  })

  test('refuses what is not there', async () => {
    const { status } = await scene.ask('admin', 'DELETE', at('nothing'), { replaces: null })
    expect(status).toBe(404)
    const body = { replaces: await idOf('other-model'), to: 'list_price' }
    const unknown = await scene.ask('admin', 'DELETE', at('other-model'), body)
    expect([unknown.status, unknown.field]).toEqual([400, 'to'])
  })
})

test('the history has every price, newest first, in pages', async () => {
  const pages = at('unpriced/model', '/history?page_size=3')
  const { data } = await scene.ask('admin', 'GET', pages)
  const items = data.items as { id: number; terms: { unit: string } }[]
  expect(items.map(({ terms }) => terms.unit)).toEqual(['none', 'tokens', 'tokens'])
  expect(data.total).toBe(4)
  const rest = await scene.ask('admin', 'GET', `${pages}&cursor=${data.next}`)
  expect(rest.data).toMatchObject({ items: [{ terms: { output: '20.5' } }], next: null })
})

describe('before a price is set', () => {
  test('the preview is what the feed becomes, exactly', async () => {
    const price = { input: '0.333333', output: '3', tiers: [{ above: 5, input: '1', output: '9' }] }
    const { data } = await scene.ask('admin', 'POST', at('test-model', '/preview'), price)
    const groups = data.groups as { group: string; after: { prices: object; tiers: object[] } }[]
    expect(groups.map(({ group }) => group)).toEqual(['default', '【特价】组·A'])
    expect(groups[1]).toMatchObject({
      before: { prices: { input_price: '1.234567', output_price: '2.469134' } },
      after: {
        prices: { input_price: '0.411521921811', output_price: '3.703701' },
        tiers: [{ above: 5, prices: { input_price: '1.234567' } }],
      },
    })
    const replaces = await idOf('test-model')
    await scene.ask('admin', 'PUT', at('test-model'), { ...price, replaces })
    const feed = await scene.ask('admin', 'GET', '/api/v1/admin/feed?search=test-model')
    const rows = feed.data.items as { group: string; prices: object }[]
    expect(rows.map(({ prices }) => prices)).toEqual(groups.map(({ after }) => after.prices))
    const published = await (await scene.send(null, 'GET', '/pricing/provider-pricing.json')).text()
    expect(published).toContain('"input_price":0.411521921811')
  })

  test('a simulation charges the requests of the last days once more', async () => {
    await scene.chat('other-model')
    await scene.chat('other-model')
    await scene.tollgate.settled()
    // 100 in, 50 out at 3 and 4 USD per 1M, times 0.7, twice; then at 6 and 8.
    const order = { input: '6', output: '8', days: 7 }
    const { data } = await scene.ask('admin', 'POST', at('other-model', '/simulate'), order)
    expect(data).toMatchObject({
      requests: 2,
      charged: '0.0007',
      simulated: '0.0014',
      difference: '0.0007',
      percent: 100,
      is_complete: true,
    })
    expect(await priceOf('other-model')).toMatchObject({ terms: { input: '3' } })
  })

  test('ends with whoever asked, and leaves no other waiting', async () => {
    const order = { input: '6', output: '8', days: 7 }
    const simulation = new Request(`http://gateway.example${at('other-model', '/simulate')}`, {
      method: 'POST',
      headers: { 'x-test-person': people.admin, 'content-type': 'application/json' },
      body: JSON.stringify(order),
      signal: AbortSignal.abort(),
    })
    const told = scene.lines.length
    expect((await scene.tollgate.app.handle(simulation)).status).toBe(503)
    expect(scene.lines.slice(told)).toEqual([])
    const next = await scene.ask('admin', 'POST', at('other-model', '/simulate'), order)
    expect(next.status).toBe(200)
  })
})
