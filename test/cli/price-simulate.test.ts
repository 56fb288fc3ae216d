import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import {
  accountWrite,
  channelWrite,
  groupWrite,
  priceWrite,
  settlement,
  tokenWrite,
} from '../store/support.ts'
import { openStoreOf } from '../support/store-beside.ts'
import { createWorkplace, program, type Workplace } from './cli.ts'

const day = 86_400_000
const now = Date.now()
const tokens = {
  inputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  multiplierMillionths: 800_000,
}

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await cp(join(import.meta.dir, '../fixtures/prices'), place.path, { recursive: true })
  await place.write('tollgate.yaml', '')
  const store = await openStoreOf(place.path)
  const base = {
    input: 1_000_000,
    output: 10_000_000,
    cacheRead: null,
    cacheWrite: null,
    cacheWrite1h: null,
  }
  await store.admin.write({
    channels: [channelWrite()],
    groups: [groupWrite(), groupWrite({ name: 'no tiers', longContextPricing: false })],
    prices: [
      priceWrite('house-large', { unit: 'tokens', base, tiers: [] }),
      priceWrite('house-painter', { unit: 'call', perCallNano: 40_000_000 }),
      priceWrite('house-free', { unit: 'free' }),
    ],
    accounts: [accountWrite({ openingNano: 1_000_000_000_000 })],
    tokens: [tokenWrite()],
  })
  const large = { ...tokens, model: 'house-large', priceId: 1, createdAt: now - 2 * day }
  await store.records.commit({
    settle: [
      // 500 × 1 + 100 × 10, × 0.8; then 500 × 2 + 100 × 20.
      settlement({
        requestId: 'a',
        ...large,
        inputTokens: 500,
        outputTokens: 100,
        amountNano: 1_200_000,
      }),
      // Above 1,000 context tokens the file has a tier; the second group does not use tiers.
      settlement({
        requestId: 'b',
        ...large,
        inputTokens: 600,
        cacheReadTokens: 401,
        amountNano: 800_800,
      }),
      settlement({ requestId: 'c', ...large, groupId: 2, inputTokens: 1001, amountNano: 800_800 }),
      settlement({
        requestId: 'old',
        ...large,
        createdAt: now - 9 * day,
        inputTokens: 1,
        amountNano: 800,
      }),
      settlement({
        requestId: 'd',
        ...tokens,
        model: 'house-painter',
        priceId: 2,
        calls: 3,
        amountNano: 96_000_000,
        createdAt: now - day,
      }),
      settlement({
        requestId: 'e',
        ...tokens,
        model: 'house-free',
        priceId: 3,
        inputTokens: 5,
        amountNano: 0,
        createdAt: now - day,
      }),
      settlement({
        requestId: 'f',
        ...large,
        calls: 0,
        amountNano: 0,
        ending: 'refused',
        status: 502,
      }),
      settlement({
        requestId: 'g',
        ...tokens,
        model: 'made-up',
        priceId: null,
        calls: 0,
        amountNano: 0,
        status: 404,
        createdAt: now - day,
      }),
    ],
  })
  await store.close()
})
afterAll(() => place[Symbol.asyncDispose]())

const run = (...args: string[]) => place.run(['price', 'simulate', '--with', ...args])
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)

test('charges what is on record by the prices of a configuration file', async () => {
  const found = await json('next.yaml')
  expect(found).toMatchObject({
    with: 'next.yaml',
    form: 'config',
    until: null,
    group: null,
    records: 7,
  })
  expect(found.models).toEqual([
    {
      model: 'house-painter',
      requests: 1,
      charged_nano: 96_000_000,
      simulated_nano: 120_000_000,
      difference_nano: 24_000_000,
      percent: 25,
    },
    {
      model: 'house-large',
      requests: 3,
      charged_nano: 2_801_600,
      // a: (500 × 2 + 100 × 20) × 0.8; b: 1001 × 4 × 0.8; c: 1001 × 2 × 0.8 (USD per 1M → × 1,000)
      simulated_nano: 2_400_000 + 3_203_200 + 1_601_600,
      difference_nano: 4_403_200,
      percent: 157.2,
    },
  ])
  expect(found.total).toEqual({
    requests: 4,
    charged_nano: 98_801_600,
    simulated_nano: 127_204_800,
    difference_nano: 28_403_200,
    percent: 28.7,
  })
  expect(found.not_compared).toEqual({
    without_usage: 2,
    without_price: {
      requests: 1,
      charged_nano: 0,
      models: [{ model: 'house-free', reason: null }],
    },
  })
})

test('the span, the group, and the other forms', async () => {
  expect((await json('next.yaml', '--since', '30d')).records).toBe(8)
  expect((await json('next.yaml', '--since', '30d', '--until', '5d')).total).toMatchObject({
    requests: 1,
    charged_nano: 800,
    simulated_nano: 1600,
  })
  expect(await json('next.yaml', '--group', 'no tiers')).toMatchObject({
    group: 'no tiers',
    records: 1,
    total: { requests: 1, simulated_nano: 1_601_600 },
  })
  // a: (500 × 0.5 + 100 × 4) × 0.8, b: (600 × 0.5 + 401 × 0.05) × 0.8, c: 1001 × 0.5 × 0.8
  expect(await json('feed.json', '--feed-group', 'vip')).toMatchObject({
    form: 'feed',
    models: [{ model: 'house-large', simulated_nano: 520_000 + 256_040 + 400_400 }],
  })
  // Priced by the call on record, and by the token there: nothing to count.
  expect((await json('litellm.json')).not_compared).toMatchObject({
    without_price: {
      models: [{ model: 'house-free', reason: expect.stringContaining('nothing') }],
    },
  })
})

test('a table for people', async () => {
  const { out, err, code } = await run('next.yaml')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const lines = out.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^MODEL +REQUESTS +CHARGED +WITH THESE +DIFFERENCE +CHANGE$/)
  expect(lines[1]).toMatch(/^house-painter +1 +0\.096 USD +0\.12 USD +0\.024 USD +\+25 %$/)
  expect(lines[3]).toMatch(/^in all +4 +0\.0988016 USD +0\.1272048 USD +0\.0284032 USD +\+28\.7 %$/)
  expect(lines.slice(5)).toEqual([
    '7 requests on record, 4 compared.',
    'Without usage, so not compared: 2.',
    'Without a price there, so not compared: 1 (0.00 USD).',
    '  house-free: not in the file',
  ])
})

test('on a terminal it counts while it reads, and leaves nothing of that', async () => {
  let shown = ''
  const args = ['price', 'simulate', '--with', 'next.yaml']
  const env = await place.environment(args)
  const child = Bun.spawn([...program, ...args], {
    cwd: place.path,
    env,
    terminal: {
      data(_, bytes) {
        shown += new TextDecoder().decode(bytes)
      },
    },
  })
  expect(await child.exited).toBe(0)
  expect(shown).toStartWith('\r\x1b[KMODEL')
})

test('refused: an unknown group, a file without prices', async () => {
  expect(await run('next.yaml', '--group', 'no tier')).toMatchObject({
    code: 1,
    err: 'tollgate: There is no group "no tier". Did you mean "no tiers"?\n',
  })
  const none = await run('tollgate.yaml')
  expect(none).toMatchObject({ code: 1, err: 'tollgate: tollgate.yaml has no prices: in it.\n' })
})
