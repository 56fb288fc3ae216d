import { afterAll, describe, expect, test } from 'bun:test'
import { releaseKey, startReleaseServer } from '../../app/updates/release-server.ts'
import { people, startConsoleScene } from '../../support/console-scene.ts'
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { speaksAt } from '../../support/tollgate-yaml.ts'

const busy = startFakeUpstream(() =>
  jsonAnswer({ error: { message: 'slow down' } }, 429, { 'retry-after': '600' }),
)
const scene = await startConsoleScene({
  moreChannels: [
    {
      name: 'broken',
      speaks: speaksAt(busy.url),
      api_key: 'x',
      models: ['broken-model'],
      allow_private: true,
    },
  ],
  group: { channels: ['main', 'broken'] },
  prices: { 'broken-model': { input: 1, output: 1 } },
})
afterAll(async () => {
  await scene.stop()
  await busy.stop()
})

for (let count = 0; count < 3; count++) await scene.chat()
await scene.chat('other-model')
await scene.chat('no-model')
await scene.chat('broken-model')
await scene.tollgate.settled()
const ofGateway = await scene.ask('admin', 'GET', '/api/v1/admin/overview')

describe('the overview of an account', () => {
  test('has its balance, exactly, and what was spent', async () => {
    const { status, data } = await scene.ask('user', 'GET', '/api/v1/overview')
    expect(status).toBe(200)
    // Four answers of 100 tokens at 1 USD and 50 at 2 USD a million.
    expect(data).toMatchObject({
      ...{ balance: '99.9992', balance_state: 'good', tokens: 1 },
      ...{ spent_today: '0.0008', spent_this_month: '0.0008' },
    })
  })

  test('has a row for each day, the days without a request too', async () => {
    const { data } = await scene.ask('user', 'GET', '/api/v1/overview?days=7')
    const { days, today, models, sum } = data.usage as {
      days: Record<string, unknown>[]
      today: string
      models: { model: string; days: unknown[] }[]
      sum: unknown
    }
    expect(days).toHaveLength(7)
    expect(days.at(-1)?.day).toBe(today)
    expect(days[0]).toMatchObject({ requests: 0, failed: 0, amount: '0', input_tokens: 0 })
    expect(sum).toMatchObject({ requests: 6, failed: 2, input_tokens: 400, amount: '0.0008' })
    expect(models.map(({ model }) => model).slice(0, 2)).toEqual(['test-model', 'other-model'])
    const [first] = models
    expect(first?.days).toHaveLength(7)
    expect(first?.days[0]).toEqual({ amount: '0', first_byte_ms: null })
    expect(first?.days.at(-1)).toMatchObject({ amount: '0.0006' })
  })

  test("shows nothing of another's", async () => {
    const { data } = await scene.ask('other', 'GET', '/api/v1/overview')
    expect(data).toMatchObject({
      ...{ tokens: 0, spent_today: '0', balance: '10' },
      usage: { models: [], sum: { requests: 0 } },
    })
  })

  test('takes a number of days that it can show', async () => {
    for (const days of ['0', '367', 'x']) {
      const { status, field } = await scene.ask('user', 'GET', `/api/v1/overview?days=${days}`)
      expect([days, status, field]).toEqual([days, 400, 'days'])
    }
  })

  test('tells when the balance is low, and when it is used up', async () => {
    const debit = (amountNano: number) =>
      scene.store.admin.adjust({
        ...{ account: people.other, kind: 'debit', amountNano, reason: 'a test' },
        ...{ idempotencyKey: null, actor: 'a test' },
      } as const)
    await scene.store.admin.changeAccount({
      ...{ account: people.other, actor: 'a test', balanceLowNano: 5_000_000_000 },
    })
    const state = async () =>
      (await scene.ask('other', 'GET', '/api/v1/overview')).data.balance_state
    expect(await state()).toBe('good')
    await debit(5_000_000_001)
    expect(await state()).toBe('low')
    await debit(4_999_999_999)
    expect(await state()).toBe('used_up')
    // A credit is still to be spent.
    const account = { account: people.other, actor: 'a test' }
    await scene.store.admin.changeAccount({ ...account, creditLimitNano: 1 })
    expect(await state()).toBe('low')
    await scene.store.admin.changeAccount({ ...account, creditLimitNano: 0 })
    expect(await state()).toBe('used_up')
  })
})

describe('charts of what was used', () => {
  interface Part {
    id: string
    name: string
    is_other: boolean
    requests: number
    amount: string
  }
  interface Chart {
    unit: string
    times: { time: string; requests: number; amount: string }[]
    parts: (Part & { times: object[] })[]
    list: Part[]
    others: number
    sum: { requests: number; failed: number; amount: string; input_tokens: number }
  }
  const chart = async (person: 'user' | 'other' | 'admin', query: string) => {
    const path = person === 'admin' ? '/api/v1/admin/overview/usage' : '/api/v1/overview/usage'
    const { status, data } = await scene.ask(person, 'GET', `${path}?${query}`)
    expect([query, status]).toEqual([query, 200])
    return data as unknown as Chart
  }
  const names = ({ parts }: Chart) => parts.map(({ name, requests }) => [name, requests])
  const sum = { requests: 6, failed: 2, input_tokens: 400, amount: '0.0008' }

  for (const days of [1, 7]) {
    test(`of ${days === 1 ? '24 hours' : '7 days'} are told apart by what one chooses`, async () => {
      const byModel = await chart('user', `days=${days}&by=model`)
      expect(byModel.times).toHaveLength(days === 1 ? 24 : 7)
      // A model without a price has no name of its own; what was not sold was refused.
      expect(names(byModel).slice(0, 2)).toEqual([
        ['test-model', 3],
        ['other-model', 1],
      ])
      expect(byModel).toMatchObject({ sum, others: 0 })
      for (const by of ['token', 'group']) {
        const [only, ...rest] = (await chart('user', `days=${days}&by=${by}`)).parts
        expect([by, only?.requests, rest]).toEqual([by, 6, []])
      }
      expect(names(await chart('admin', `days=${days}&by=account`))).toEqual([[people.user, 6]])
      const byChannel = await chart('admin', `days=${days}&by=channel`)
      expect(names(byChannel)).toEqual(
        expect.arrayContaining([
          ['main', 4],
          ['', expect.any(Number)],
        ]),
      )
      expect(byChannel.sum).toMatchObject(sum)
    })
  }

  test('show the last hours while nothing is older than today', async () => {
    expect((await chart('user', '')).unit).toBe('hour')
    expect((await chart('user', 'days=30')).unit).toBe('day')
  })

  test('list what the others are, where it is asked for', async () => {
    const all = await chart('user', 'days=1')
    const { list, ...drawn } = await chart('user', 'days=1&list=1000')
    expect(all).toEqual({ ...drawn, list: [] })
    expect(list).toEqual(all.parts.map(({ times: _, ...part }) => part))
  })

  test('show users no channel, no account, and nothing of another', async () => {
    for (const by of ['channel', 'account']) {
      const { status, field } = await scene.ask('user', 'GET', `/api/v1/overview/usage?by=${by}`)
      expect([by, status, field]).toEqual([by, 400, 'by'])
    }
    expect((await scene.ask('user', 'GET', '/api/v1/admin/overview/usage')).status).toBe(403)
    expect((await chart('other', 'by=token')).parts).toEqual([])
  })
})

describe('the overview of the gateway', () => {
  const path = '/api/v1/admin/overview'

  test('is for administrators', async () => {
    expect((await scene.ask(null, 'GET', path)).status).toBe(401)
    expect((await scene.ask('user', 'GET', path)).status).toBe(403)
  })

  test('tells how it is, and what all have used', () => {
    const { status, data } = ofGateway
    expect(status).toBe(200)
    expect(data).toMatchObject({
      ...{ accounts: 3, tokens: 1, counts_are_exact: true, spent_today: '0.0008' },
      now: {
        ...{ requests_under_way: 0, channels: 2, groups: 1, models: 3, database_bytes: null },
        attempts: [
          { channel: 'main', attempts: 4, failed: 0 },
          { channel: 'broken', failed: expect.any(Number) },
        ],
        cooling: [{ channel: 'broken', cause: expect.any(String) }],
      },
      usage: { sum: { requests: 6 } },
    })
    const steps = data.steps as { is_done: boolean }[]
    expect(steps.every(({ is_done }) => is_done)).toBe(true)
  })
})

test('tells administrators of a newer release, where one is looked for', async () => {
  expect(ofGateway.data).toMatchObject({ now: { newer_release: null } })
  const server = await startReleaseServer()
  await server.offer({ version: '99.0.0' })
  process.env.TOLLGATE_RELEASE_KEY = releaseKey
  const looking = await startConsoleScene({ updates: server.address.href })
  delete process.env.TOLLGATE_RELEASE_KEY
  // The list and its signature; sessions may not ask without end.
  while (server.requests.length < 2) await Bun.sleep(5)
  let newer: unknown = null
  while (newer === null) {
    await Bun.sleep(100)
    const { data } = await looking.ask('admin', 'GET', '/api/v1/admin/overview')
    newer = (data.now as { newer_release: unknown }).newer_release
  }
  expect(newer).toEqual({ version: '99.0.0', notes_url: null })
  await looking.stop()
  await server.stop()
})

test('a gateway without anything says what to make first', async () => {
  const empty = await startConsoleScene()
  const { groups, channels } = await empty.store.catalog.load()
  const [token] = await empty.store.admin.tokens({})
  const nameOf = ({ name }: { readonly name: string }) => name
  await empty.store.admin.write({
    remove: {
      ...{ tokenIds: token ? [token.id] : [], accounts: [people.user, people.other] },
      ...{ groups: groups.map(nameOf), channels: channels.map(nameOf) },
    },
  })
  await empty.tollgate.refresh()
  const { data } = await empty.ask('admin', 'GET', '/api/v1/admin/overview')
  await empty.stop()
  const steps = data.steps as { step: string; is_done: boolean }[]
  expect(steps.map(({ step }) => step)).toEqual(
    ['channel', 'group', 'price', 'account', 'token', 'request'], // in the order of their making
  )
  expect(steps.filter(({ is_done }) => is_done)).toEqual([])
})
