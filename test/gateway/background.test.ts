import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Catalog, Channel } from '../../src/catalog/catalog.ts'
import { type Background, createBackground } from '../../src/gateway/background/background.ts'
import { createLogger } from '../../src/lib/log.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { until } from '../e2e/until.ts'
import { channelWrite, priceWrite, settlement } from '../store/support.ts'
import { createMoneyScene, type MoneyScene } from './money-scene.ts'

// One answer in the background, on a store in memory, whose upstream and clock are the test's.

const minute = 60_000
const hour = 60 * minute
const usage = { input_tokens: 10, output_tokens: 100 }
const body = (status: string) => ({
  id: 'resp_1',
  object: 'response',
  status,
  background: true,
  output: [],
})

let scene: MoneyScene
let background: Background
let answer: () => Response
let at: number
/** For how long it was left alone, each time. */
const restsMs: number[] = []
const warnings: string[] = []
/** When ids that nobody can refer to any more were removed, and how many of them were. */
const swept: number[] = []
const oldRows: number[] = []
/** Has the gateway look for what is due. */
let look: () => void

beforeEach(async () => {
  scene = await createMoneyScene({ balanceNano: 1_000_000_000, stream: false })
  const { store, exchange, caller } = scene
  at = exchange.startedAt
  for (const list of [restsMs, swept, oldRows]) list.length = 0
  answer = () => Response.json(body('in_progress'))
  warnings.length = 0
  await scene.reserveMoney()
  await exchange.reservation?.ensureStored()
  const { inputTokens = 0, outputTokens = 0, boundNano } = exchange.reservation ?? {}
  const plan = exchange.plan
  const charge = {
    ...{ startedAt: at, firstByteMs: 1, model: 'small', upstreamModel: 'small-1', plan },
    reckonedNano: boundNano,
  }
  await store.records.commit({
    settle: [
      {
        ...settlement({ requestId: exchange.requestId, amountNano: 0 }),
        begun: {
          ...{ requestId: 'late', askedId: exchange.requestId, answerId: 'resp_1', createdAt: at },
          ...{
            accountId: caller.account.id,
            tokenId: caller.token.id,
            channelId: 1,
            keyMark: 'key',
          },
          charge: JSON.stringify({ ...charge, stream: false, calls: 1, inputTokens, outputTokens }),
        },
      },
    ],
  })
  const channel = {
    ...{ ...channelWrite(), id: 1, name: 'main', keys: ['key'], proxy: undefined },
    speaks: { responses: 'https://upstream.example/v1' },
  } as unknown as Channel
  background = createBackground({
    ...scene.parts,
    clock: () => at,
    answers: {
      ...store.answers,
      async sweep() {
        swept.push(at)
        return oldRows.shift() ?? 0
      },
      async putOff(requestId, forMs) {
        await store.answers.putOff(requestId, forMs)
        restsMs.push(forMs)
      },
    },
    catalog: () => ({ channels: new Map([[1, channel]]) }) as unknown as Catalog,
    outbound: async () => answer(),
    repeat(task) {
      look = task
      return () => {}
    },
    log: createLogger({
      sink: (line) => warnings.push(line),
      pretty: false,
      clock: () => at,
      level: 'warn',
    }),
  })
  background.start()
})
afterEach(async () => {
  await background.stop()
  await scene.store.close()
})

/** Later by so much, and looked at as soon as it is due. */
async function after(ms: number): Promise<void> {
  at += ms
  await scene.store.answers.putOff('late', -hour)
  const before = restsMs.length
  look()
  await until('it to be looked at', async () => restsMs.length > before || (await request()))
}
const request = async (store: Store = scene.store) => (await store.records.receipt('late'))?.request
const balance = async () => (await scene.sum()).balanceNano
/** By how much a request of the account is taken to turn out dearer, of one nano-USD. */
const excess = () => scene.reservations.likelyOverrun(scene.caller.account.id, [], 1)

test('is asked for until it has ended, and charged by the price of the time when it was asked', async () => {
  for (const ms of [1_000, minute, hour]) await after(ms)
  // After a quarter of its age, but within bounds.
  expect(restsMs).toEqual([2_000, 15_250, minute])
  expect(await request()).toBeUndefined()
  await scene.store.admin.write({
    prices: [priceWrite('small', { unit: 'call', perCallNano: 999_999_999 })],
  })
  answer = () => Response.json({ ...body('completed'), usage })
  await after(minute)
  expect(await request()).toMatchObject({ ending: 'complete', estimated: false, inputTokens: 10 })
  expect((await request())?.outputTokens).toBe(100)
  expect(1_000_000_000 - ((await balance()) ?? 0)).toBe((await request())?.amountNano ?? -1)
  expect((await request())?.amountNano).toBeLessThan(1_000_000)
  expect((await scene.sum()).reservedNano).toBe(0)
})

test('by how much dearer than reckoned it has turned out is known of its account', async () => {
  const { boundNano = 0 } = scene.exchange.reservation ?? {}
  await after(minute)
  expect(excess()).toBe(0)
  answer = () => Response.json({ ...body('completed'), usage: { ...usage, output_tokens: 1e6 } })
  await after(minute)
  // The row can be read before the one who wrote it has heard that it is there.
  await until('it is known', () => excess() > 0)
  expect(excess()).toBe(Math.ceil(((await request())?.amountNano ?? 0) / boundNano - 1))
})

test('an upstream that forgets it is believed after a minute: what was set aside is charged', async () => {
  answer = () => Response.json({ error: { message: 'not found' } }, { status: 404 })
  const { reservedNano: held = 0 } = await scene.sum()
  await after(10_000)
  expect(await request()).toBeUndefined()
  await after(minute)
  const { inputTokens } = scene.exchange.reservation ?? {}
  expect(await request()).toMatchObject({
    ...{ ending: 'cut', cause: 'background_lost', estimated: true, inputTokens },
    causeText: expect.stringContaining('no longer has the answer'),
  })
  expect(excess()).toBe(0)
  // As many tokens as it pays for.
  expect((await request())?.amountNano).toBeGreaterThan(0.99 * held)
  expect((await request())?.amountNano).toBeLessThanOrEqual(held)
  expect((await scene.sum()).reservedNano).toBe(0)
})

test.each([
  ['does not end', () => Response.json(body('in_progress'))],
  ['can not be asked', () => Response.json({ error: {} }, { status: 500 })],
  [
    'is not reached',
    () => {
      throw new Error('refused')
    },
  ],
])('one that %s is charged as it was reckoned after a day', async (_, said) => {
  answer = said
  await after(23 * hour)
  expect(await request()).toBeUndefined()
  await after(2 * hour)
  expect(await request()).toMatchObject({ cause: 'background_lost', estimated: true })
  expect(warnings.at(-1)).toContain('charged by its reservation')
})

test('old ids are removed each second while there are some, so that they do not grow in number', async () => {
  oldRows.push(5_000, 5_000, 3)
  const begun = at
  for (let second = 0; second < 6; second++) await after(1_000)
  expect(swept.map((time) => time - begun)).toEqual([1_000, 2_000, 3_000, 4_000])
  await after(minute)
  expect(swept).toHaveLength(5)
})

test('one that is not stored yet is not deleted, or continued, either', async () => {
  const { caller, parts } = scene
  const origin = { channelId: 1, key: 'key', contextTokens: 0, isPending: true }
  parts.origins.remember(caller.account.id, 'resp_2', origin)
  const ended = background.requireEnd(caller.account.id, 'resp_2')
  expect(await ended.catch((error) => error.kind)).toBe('response_in_progress')
  parts.origins.remember(caller.account.id, 'resp_2', { ...origin, isPending: false })
  expect(await background.requireEnd(caller.account.id, 'resp_2')).toBeUndefined()
})
