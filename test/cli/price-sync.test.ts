import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { createWorkplace, type Workplace } from './cli.ts'

const group = '默认【官转·稳定】'
const own = {
  input: 1,
  output: 10,
  tiers: [{ above: 100_000, input: 2, output: 20 }],
  note: 'ours',
}

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await cp(join(import.meta.dir, '../fixtures/prices'), place.path, { recursive: true })
  const channel = {
    name: 'main',
    speaks: { chat: 'https://upstream.example/v1' },
    api_key: 'k-0123456789',
    models: ['house-large', 'house-small', 'house-painter', 'house-free'],
  }
  await place.write('tollgate.yaml', JSON.stringify({ channels: [channel] }))
  await place.run(['apply'])
})
afterAll(() => place[Symbol.asyncDispose]())

const run = (...args: string[]) => place.run(['price', ...args])
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)
const priceOf = (model: string) => json('show', model)

/** House-large with an own price and tiers; the others without any. */
beforeEach(async () => {
  const tier = own.tiers.map((one) => `above=${one.above},input=${one.input},output=${one.output}`)
  await run(
    'set',
    'house-large',
    '--input',
    '1',
    '--output',
    '10',
    '--tier',
    ...tier,
    '--note',
    'ours',
  )
  for (const model of ['house-small', 'house-painter'])
    await place.run(['price', 'set', model, '--input', '0.3', '--output', '2'])
})

test("the catalog's form: shows the difference, asks, sets prices, keeps notes", async () => {
  const asked = await run('sync', '--from', 'catalog.json')
  expect(asked.code).toBe(2)
  expect(asked.err).toContain(
    'Set the price of 2 models? There is no terminal to ask on: add --yes',
  )
  const lines = asked.out.split('\n')
  expect(lines[0]).toMatch(/^MODEL +PRICE +OLD +NEW +CHANGE +SET BY$/)
  expect(lines[1]).toMatch(/^house-large +input +1 +1\.25 +\+25 % +operator$/)
  expect(asked.out).toMatch(/^ +cache read +1 +0\.125 +-87\.5 %$/m)
  expect(asked.out).toMatch(/^ +above 200000: output +15$/m)
  expect(asked.out).toMatch(/^ +above 100000: input +2$/m)
  expect(asked.out).toContain('2 prices to set, 0 unchanged, 0 skipped.')
  expect(asked.out).not.toContain('not-offered')
  expect(await priceOf('house-large')).toMatchObject({ input: 1_000_000 })

  const done = await run('sync', '--from', 'catalog.json', '--yes')
  expect(done).toMatchObject({ code: 0, err: '' })
  expect(done.out).toEndWith('Done: the price of 2 models set.\n')
  expect(await priceOf('house-large')).toMatchObject({
    source: 'operator',
    note: 'ours',
    input: 1_250_000,
    cache_read: 125_000,
    tiers: [{ above: 200_000, input: 2_500_000, output: 15_000_000, cache_read: 250_000 }],
  })
  const again = await run('sync', '--from', 'catalog.json')
  expect(again).toMatchObject({ code: 0, out: '0 prices to set, 2 unchanged, 0 skipped.\n' })
})

test("LiteLLM's form: JSON tells the difference and changes nothing without --yes", async () => {
  const planned = await json('sync', '--from', 'litellm.json')
  expect(planned).toMatchObject({ from: 'litellm.json', form: 'litellm', applied: false })
  expect(planned.changes).toContainEqual({
    action: 'update',
    model: 'house-painter',
    source: 'operator',
    rounded: false,
    fields: [
      { field: 'per_call', from: null, to: '0.04', percent: null },
      ...['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'].map((field) => ({
        field,
        from: field === 'output' ? '2' : '0.3',
        to: null,
        percent: null,
      })),
    ],
  })
  expect(planned.skipped).toEqual([
    { model: 'house-free', reason: expect.stringContaining('costs nothing there') },
  ])
  expect(await priceOf('house-painter')).toMatchObject({ unit: 'tokens' })

  expect(await json('sync', '--from', 'litellm.json', '--yes')).toMatchObject({ applied: true })
  expect(await priceOf('house-painter')).toMatchObject({ unit: 'call', per_call_nano: 40_000_000 })
  expect(await priceOf('house-small')).toMatchObject({ input: 450_000, cache_read: 450_000 })
})

test("another gateway's feed, from an address: rounds openly, keeps tiers, skips what is off", async () => {
  const text = await Bun.file(join(place.path, 'feed.json')).text()
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    development: false,
    fetch: () => new Response(text),
  })
  const address = `${server.url.href}pricing/provider-pricing.json`
  const unclear = await run('sync', '--from', address)
  expect(unclear).toMatchObject({ code: 1, out: '' })
  expect(unclear.err).toContain(`has several groups; choose one of: "${group}", "vip".`)

  const { out, code } = await run('sync', '--from', address, '--group', group, '--yes')
  expect(code).toBe(0)
  expect(out).toMatch(/^house-small +input +0\.3 +≈ 0\.246802 +-17\.7 % +operator$/m)
  expect(out).toContain('≈: finer in the list than 0.000001 USD per 1M tokens, rounded half up.')
  expect(out).toContain('Keep their prices for long contexts: house-large.')
  expect(out).toContain('skipped house-free: costs nothing there')
  expect(await priceOf('house-large')).toMatchObject({
    input: 1_000_000,
    output: 8_000_000,
    tiers: [{ above: 100_000, input: 2_000_000, output: 20_000_000 }],
  })
})

test('--all takes what nobody offers too; what was removed on purpose stays so', async () => {
  await run('remove', 'house-small', '--yes')
  const { changes, skipped } = await json('sync', '--from', 'catalog.json', '--all')
  expect(
    changes.map(({ model, action }: { model: string; action: string }) => [model, action]),
  ).toEqual([
    ['house-large', 'update'],
    ['not-offered', 'create'],
  ])
  expect(skipped).toMatchObject([
    { model: 'house-small', reason: expect.stringContaining('removed') },
  ])
})

test('a price of the configuration file is changed with a warning', async () => {
  await place.write(
    'other.yaml',
    'store: sqlite:./other.db\nprices: { house-large: { input: 1, output: 2 } }\n',
  )
  await place.run(['apply', '--config', 'other.yaml'])
  const done = await run('sync', '--from', 'catalog.json', '--yes', '--config', 'other.yaml')
  expect(done.code).toBe(0)
  expect(done.err).toContain('warning: the configuration file set the price of house-large')
})

test('refused: what can not be read, with the place that is wrong', async () => {
  await place.write('broken.json', '{"models": [{"id": "a"}], "source": "x", "date": "2026-01-01"}')
  await place.write('prices.yaml', 'prices: { a: { input: 1, output: 2 } }')
  const cases: readonly (readonly [readonly string[], number, string])[] = [
    [['--from', 'none.json'], 1, "none.json can't be read: ENOENT"],
    [['--from', 'broken.json'], 1, 'broken.json: models[0].vendor is missing: a text'],
    [['--from', 'prices.yaml'], 1, 'prices.yaml is not JSON'],
    [['--from', 'ftp://e.example/x'], 1, 'write a path, or an address with http(s)://'],
    [['--from', 'http://127.0.0.1:9/x'], 1, "http://127.0.0.1:9/x can't be read: "],
    [['--from', 'catalog.json', '--group', 'vip'], 1, 'is no price feed'],
    [['--from', 'litellm.json', '--all'], 1, 'house-broken.input_cost_per_token is "cheap"'],
    [[], 2, "required option '--from <file|url>' not specified"],
  ]
  await Promise.all(
    cases.map(async ([args, code, message]) => {
      const ran = await run('sync', ...args)
      expect(ran.err).toContain(message)
      expect(ran.err).not.toMatch(/\n\s+at /)
      expect(ran).toMatchObject({ code, out: '' })
    }),
  )
})
