import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { requestIdOf } from '../e2e/caller.ts'
import { costNano, dialects, wholeStream } from '../e2e/dialects.ts'
import { jsonAnswer } from '../support/fake-upstream.ts'
import { type Clocked, outcomeOf, startClocked, usual } from './clocked.ts'

// The machine's clock is set back under way, by an hour or by days: what is counted, charged and
// published does not depend on it. The process's own time goes back with the gateway's.

const start = '2026-11-22T10:00:00Z'
const backs = [
  ['an hour', '2026-11-22T09:00:00Z'],
  ['three days', '2026-11-19T10:00:00Z'],
  ['into the month before', '2026-10-31T10:00:00Z'],
] as const
const { chat, responses } = dialects

const used = [401, 'budget'] as const
const passed = [200, null] as const

beforeEach(() => setSystemTime(new Date(start)))
afterEach(() => setSystemTime())

const open = (options: Partial<Parameters<typeof startClocked>[0]> = {}) =>
  startClocked({ start, ...options })

function setClock(clocked: Clocked, time: string): void {
  setSystemTime(new Date(time))
  clocked.at(time)
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Charges and records agree, each request is there once, and the balance is what is left. */
async function expectSound({ store, balanceNano }: Clocked, requests: number) {
  const left = await balanceNano()
  const records = await all(store.records.exportRequests({}))
  const entries = await all(store.records.exportLedger({}))
  expect(new Set(records.map(({ requestId }) => requestId)).size).toBe(requests)
  expect(records).toHaveLength(requests)
  const charges = entries.filter(({ kind }) => kind === 'charge')
  expect(new Map(charges.map((one) => [one.requestId, -one.amountNano]))).toEqual(
    new Map(
      records.filter((one) => one.amountNano > 0).map((one) => [one.requestId, one.amountNano]),
    ),
  )
  expect(entries.reduce((sum, { amountNano }) => sum + amountNano, 0)).toBe(left)
  const [account] = await store.admin.accounts()
  expect(account?.reservedNano).toBe(0)
  const { requests: counted, amountNano } = await store.records.tokenUsage(1)
  expect(counted).toBe(requests)
  expect(amountNano).toBe(charges.reduce((sum, one) => sum - one.amountNano, 0))
}

describe.each(backs)('the clock goes back by %s', (_, back) => {
  test('in the middle of requests: each is charged once, and stays in its place', async () => {
    await using clocked = await open()
    const go = Promise.withResolvers<void>()
    const streamed = wholeStream(chat, usual, ['Hello', ' there'])
    clocked.upstream.handle(async ({ json }) => {
      await go.promise
      const { stream } = json() as { stream?: boolean }
      return stream ? new Response(streamed) : jsonAnswer(chat.body(usual))
    })
    const under = [false, true, false, true].map((stream) => clocked.ask(chat, { stream }))
    while (clocked.upstream.requests.length < 4) await Bun.sleep(1)
    setClock(clocked, back)
    go.resolve()
    const answers = await Promise.all(under)
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(await answer.text()).toMatch(/hello/i)
    }
    expect(await outcomeOf(clocked.ask(chat))).toEqual(passed)
    await expectSound(clocked, 5)
    for (const answer of answers) {
      const receipt = await clocked.store.records.receipt(requestIdOf(answer))
      expect(receipt?.request).toMatchObject({
        createdAt: Date.parse(start),
        amountNano: costNano(usual),
      })
      expect(receipt?.request.durationMs).toBeWithin(0, 60_000)
    }
  })

  test('ids stay distinct, however often it goes back to the same moment', async () => {
    await using clocked = await open()
    const ids = new Set<string>()
    for (let turn = 0; turn < 3; turn++) {
      setClock(clocked, start)
      for (let i = 0; i < 20; i++) {
        if (i === 10) setClock(clocked, back)
        const answer = await clocked.ask(chat)
        await answer.text()
        ids.add(requestIdOf(answer))
      }
    }
    expect(ids.size).toBe(60)
    await expectSound(clocked, 60)
  })

  test('a new price holds at once, for charges and in the feed, and no reader keeps the old', async () => {
    await using clocked = await open({ settings: { feed_interval: '1h' } })
    const read = async (headers: Record<string, string> = {}) => {
      const url = 'http://gateway.example/pricing/provider-pricing.json'
      return clocked.tollgate.app.handle(new Request(url, { headers }))
    }
    await clocked.tollgate.refresh()
    const before = await read()
    setClock(clocked, back)
    await clocked.configure({ prices: { 'test-model': { input: 3, output: 5 } } })
    const since = { 'if-modified-since': before.headers.get('last-modified') ?? '' }
    const after = await read(since)
    expect(after.status).toBe(200)
    const later = Date.parse(after.headers.get('last-modified') ?? '')
    expect(later).toBeGreaterThan(Date.parse(since['if-modified-since']))
    const feed = (await after.json()) as { data: { updated_at: string; models: object[] } }
    expect(feed.data.models).toContainEqual(
      expect.objectContaining({ model_name: 'test-model', input_price: 3, output_price: 5 }),
    )
    expect(Number.isNaN(Date.parse(feed.data.updated_at))).toBeFalse()
    const answer = await clocked.ask(responses)
    await answer.text()
    const receipt = await clocked.store.records.receipt(requestIdOf(answer))
    expect(receipt?.request.amountNano).toBe(usual.input * 3000 + usual.output * 5000)
    await expectSound(clocked, 1)
  })
})

// An answer costs 200,000 nano-USD: 0.0004 USD are enough for two of them.

describe('a budget, when the clock goes back', () => {
  const spend = (clocked: Clocked) => outcomeOf(clocked.ask(chat))

  test.each(backs)('in all: by %s, it is used up as before', async (_, back) => {
    await using clocked = await open({ token: { budget: { total: 0.0004 } } })
    expect(await spend(clocked)).toEqual(passed)
    setClock(clocked, back)
    expect(await spend(clocked)).toEqual(passed)
    expect(await spend(clocked)).toEqual(used)
    await clocked.tollgate.refresh() // what is in memory is forgotten
    expect(await spend(clocked)).toEqual(used)
    setClock(clocked, start)
    expect(await spend(clocked)).toEqual(used)
  })

  test('of a day: within the day, it is used up as before', async () => {
    await using clocked = await open({ token: { budget: { day: 0.0004 } } })
    for (let i = 0; i < 2; i++) expect(await spend(clocked)).toEqual(passed)
    setClock(clocked, '2026-11-22T09:00:00Z')
    expect(await spend(clocked)).toEqual(used)
  })

  test('of a day: another day has its own, and neither is granted anew', async () => {
    await using clocked = await open({ token: { budget: { day: 0.0004 } } })
    for (let i = 0; i < 2; i++) expect(await spend(clocked)).toEqual(passed)
    setClock(clocked, '2026-11-21T23:59:59Z')
    for (let i = 0; i < 2; i++) expect(await spend(clocked)).toEqual(passed)
    expect(await spend(clocked)).toEqual(used)
    setClock(clocked, start)
    await clocked.tollgate.refresh()
    expect(await spend(clocked)).toEqual(used)
    setClock(clocked, '2026-11-21T12:00:00Z')
    await clocked.tollgate.refresh()
    expect(await spend(clocked)).toEqual(used)
  })

  test('of a month: within the month, it is used up as before', async () => {
    await using clocked = await open({ token: { budget: { month: 0.0004 } } })
    for (let i = 0; i < 2; i++) expect(await spend(clocked)).toEqual(passed)
    setClock(clocked, '2026-11-19T10:00:00Z')
    expect(await spend(clocked)).toEqual(used)
    await clocked.tollgate.refresh()
    expect(await spend(clocked)).toEqual(used)
  })
})
