import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { systemClock } from '../../src/lib/clock.ts'
import type { AdminStore } from '../../src/store/ports/admin.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { readUntil } from '../e2e/caller.ts'
import { dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { type LentPlace, lendPlace } from '../support/empty-store.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { expectWithinASecond } from '../support/within-a-second.ts'
import type { Usage } from './clocked.ts'
import { type Running, startServing } from './serving.ts'

// Somebody else changes the database beside a running gateway, as the command line does: that is in
// force within a second, for new requests and for streams under way.

const { chat } = dialects
const actor = 'command line'
const email = 'user@example.com'
const tokens = { input: 100, output: 50 } // 200,000 nano-USD
const body = { ...chat.request(false), max_completion_tokens: 50 }

let place: LentPlace
let upstream: FakeUpstream
let running: Running
let beside: Store
let admin: AdminStore

beforeEach(async () => {
  place = await lendPlace()
  upstream = startFakeUpstream(() => jsonAnswer(chat.body(tokens)))
  const { store } = place
  const token = { budget: { total: 0.0004 } }
  running = await startServing({ upstream: upstream.url, store, token, balance: 0.0009 })
  beside = await place.open(systemClock)
  admin = beside.admin
})
afterEach(async () => {
  await beside.close()
  await running[Symbol.asyncDispose]()
  await upstream.stop()
  await place[Symbol.asyncDispose]()
})

async function asked() {
  const answer = await running.ask(chat.path(false), body)
  await answer.text()
  return answer.headers.get('x-tollgate-reason') ?? answer.status
}

const passes = async () => (await asked()) === 200
const isOverBudget = async () => (await asked()) === 'budget'

const setBudget = async (totalNano: number) => {
  const [token] = await admin.tokens({ account: email })
  await admin.changeToken({ id: token?.id ?? 0, actor, budget: { totalNano } })
}
const usageOf = async () => (await running.get('/v1/usage')) as Usage
const credit = (amountNano: number) =>
  admin.adjust({
    ...{ account: email, kind: 'credit', amountNano, reason: 'paid', actor },
    idempotencyKey: null,
  })

test('a raised budget is in force within a second', async () => {
  await credit(1_000_000_000)
  expect([await asked(), await asked(), await asked()]).toEqual([200, 200, 'budget'])
  await expectWithinASecond((round) => setBudget(600_000 + round * 200_000), passes)
  expect(await asked()).toBe('budget')
})

test('a budget that comes while a request is under way counts what that one costs', async () => {
  await setBudget(Number.MAX_SAFE_INTEGER)
  const [token] = await admin.tokens({ account: email })
  const none = { totalNano: null, dayNano: null, monthNano: null }
  await admin.changeToken({ id: token?.id ?? 0, actor, budget: none })
  await until('the change to be seen', async () => (await usageOf()).budget === null)
  const go = Promise.withResolvers<void>()
  upstream.handle(async () => {
    await go.promise
    return jsonAnswer(chat.body(tokens))
  })
  const slow = asked()
  await Bun.sleep(50)
  await setBudget(200_000)
  await until('the change to be seen', async () => (await usageOf()).budget !== null)
  go.resolve()
  expect(await slow).toBe(200)
  expect(await asked()).toBe('budget')
})

test('so is a lowered one', async () => {
  await credit(1_000_000_000)
  await expectWithinASecond(async () => {
    await setBudget(1_000_000_000)
    await until('a request to pass', passes)
    await setBudget(200_000)
  }, isOverBudget)
})

test('so is money that was paid in', async () => {
  await setBudget(1_000_000_000)
  await until('the budget', async () => (await asked()) === 'balance')
  await expectWithinASecond(() => credit(200_000), passes)
  expect(await asked()).toBe('balance')
})

describe('a stream that is under way', () => {
  /** Streams some 200,000 nano-USD of text, and ten times as much when it may; then it ends. */
  function startStory() {
    const [goOn, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const story = (count: number, last: string) =>
      Array.from({ length: count }, (_, i) => chat.piece(` word ${i % 10}`)).join('') +
      chat.piece(last)
    const encoder = new TextEncoder()
    async function* script() {
      yield encoder.encode(chat.first(tokens) + story(50, ' half'))
      await goOn.promise
      yield encoder.encode(story(500, ' all'))
      await end.promise
      yield encoder.encode(chat.last({ input: 10, output: 1_000 }))
    }
    upstream.handle((request) => {
      if (!/"stream":true/.test(request.text())) return jsonAnswer(chat.body(tokens))
      const headers = { 'content-type': 'text/event-stream' }
      return new Response(script() as unknown as Bun.BodyInit, { headers })
    })
    return { goOn: goOn.resolve, end: end.resolve }
  }

  test.each([
    ['a raised budget', () => setBudget(100_000_000)],
    ['money that was paid in', () => credit(100_000_000)],
  ])('goes on with %s', async (what, raise) => {
    // Only the one that is raised is short.
    if (what === 'a raised budget') await credit(100_000_000)
    else await setBudget(1_000_000_000)
    await until('that to be in force', async () => {
      const { balance, budget } = (await running.get('/v1/usage')) as Usage
      return balance === '0.1009' || budget?.total?.limit === '1'
    })
    const { goOn, end } = startStory()
    const answer = await running.ask(chat.path(true), chat.request(true))
    const { reader } = await readUntil(answer, (text) => text.includes('half'))
    await raise()
    await until('it to be in force', async () => (await asked()) === 200)
    goOn()
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += new TextDecoder().decode(value)
      if (text.includes(' all')) end()
    }
    expect(text).not.toContain('used up')
    expect(chat.isWhole(text)).toBeTrue()
  })
})
