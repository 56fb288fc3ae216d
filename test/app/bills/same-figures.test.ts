import { expect, test } from 'bun:test'
import type { Difference } from '../../../src/app/verify/findings.ts'
import { verify } from '../../../src/app/verify/verify.ts'
import { readUntil } from '../../e2e/caller.ts'
import { allDialects, type Dialect, wholeStream } from '../../e2e/dialects.ts'
import { collect } from '../../store/support.ts'
import { type FakeHandler, jsonAnswer, sseAnswer } from '../../support/fake-upstream.ts'
import { shownModels, testKey } from '../../support/tollgate-yaml.ts'
import { type Clocked, startClocked } from '../clocked.ts'
import { tellers } from './told-answers.ts'

// B12: what the gateway goes by when it lets requests through (balances, what is set aside, what
// budgets have left) is what the ledger says, after requests of every kind and ending.

const keys = [testKey, 'sk-second-0123456789abcdefghijklmno', 'sk-third-0123456789abcdefghijklmnop']
const days = ['2026-11-29T09:00:00Z', '2026-11-30T09:00:00Z', '2026-12-01T09:00:00Z']
const waves = 12
const perWave = 24

const start = () =>
  startClocked({
    start: days[0] ?? '',
    models: shownModels,
    balance: 0.06,
    token: { budget: { total: 0.006, day: 0.002 } },
    moreAccounts: [
      {
        email: 'other@example.com',
        balance: 1,
        tokens: [
          { name: 'second', key: keys[1], group: 'default', budget: { month: 0.003 } },
          { name: 'third', key: keys[2], group: 'default' },
        ],
      },
    ],
  })

/** One way for a request to go. */
interface Way {
  readonly stream: boolean
  readonly script: (dialect: Dialect) => FakeHandler
  readonly leaves?: boolean
}

const told = { input: 120, output: 70 }
const begun = (dialect: Dialect) => dialect.first(told) + dialect.piece('Hello, and welcome')
const ways: readonly Way[] = [
  { stream: false, script: (dialect) => () => jsonAnswer(dialect.body(told)) },
  {
    stream: true,
    script: (dialect) => () => sseAnswer(wholeStream(dialect, told, ['hi', ' there'])),
  },
  { stream: false, script: () => () => jsonAnswer({ error: { message: 'overloaded' } }, 503) },
  { stream: false, script: () => () => jsonAnswer({ error: { message: 'no such thing' } }, 400) },
  { stream: true, script: () => () => new Response('<html>', { status: 200 }) },
  { stream: true, script: (dialect) => () => sseAnswer(begun(dialect)) },
  {
    stream: true,
    script: (dialect) => () => sseAnswer(begun(dialect) + tellers[dialect.name].error(told)),
  },
  {
    stream: true,
    leaves: true,
    script: (dialect) => () => sseAnswer(begun(dialect), { ending: 'stall' }),
  },
  {
    stream: false,
    script: (dialect) => () => jsonAnswer(tellers[dialect.name].body('incomplete', 'hi')),
  },
]

async function goOneWay(clocked: Clocked, at: number) {
  const dialect = allDialects[at % allDialects.length] as Dialect
  const way = ways[at % ways.length] as Way
  const key = keys[at % keys.length] ?? testKey
  const leaving = new AbortController()
  const answer = await clocked.ask(dialect, {
    stream: way.stream,
    question: `number ${at}`,
    key,
    signal: leaving.signal,
  })
  if (!way.leaves || answer.status !== 200) return answer.text()
  const { reader } = await readUntil(answer, (text) => text.includes('welcome'))
  leaving.abort()
  await reader.cancel()
}

async function differences({ store }: Clocked): Promise<Difference[]> {
  const all: Difference[] = []
  await verify({
    ...{ store: store.verification, since: undefined, tick: () => 0, onProgress() {} },
    async onFound(found) {
      all.push(...found)
    },
  })
  return all
}

/** What a token, or a whole account, was charged, by the ledger and nothing else. */
async function charged({ store }: Clocked) {
  const requests = await collect(store.records.exportRequests({}))
  const tokenOf = new Map(requests.map(({ requestId, token }) => [requestId, token]))
  const entries = await collect(store.records.exportLedger({}))
  return (token: string, from = '') =>
    entries
      .filter(({ kind, requestId }) => kind === 'charge' && tokenOf.get(requestId ?? '') === token)
      .filter(({ createdAt }) => new Date(createdAt).toISOString() >= from)
      .reduce((sum, { amountNano }) => sum - amountNano, 0)
}

const nano = (usd: unknown) => Math.round(Number(usd) * 1e9)

test('B12: the figures that are enforced are the ledger’s, after a load of every kind', async () => {
  await using clocked = await start()
  const { store, upstream } = clocked
  upstream.handle((request) => {
    const dialect = allDialects.find(({ path }) => [path(true), path(false)].includes(request.path))
    const way = ways[Number(/"number (\d+)"/.exec(request.text())?.[1] ?? 0) % ways.length]
    return (way as Way).script(dialect as Dialect)(request)
  })
  let at = 0
  for (let wave = 0; wave < waves; wave++) {
    clocked.at(days[Math.floor((wave / waves) * days.length)] ?? '')
    const under = Array.from({ length: perWave }, () => goOneWay(clocked, at++))
    // Beside the running load, too: what is set aside is the sum of the reservations.
    expect(await differences(clocked)).toEqual([])
    await Promise.all(under)
  }
  await clocked.tollgate.settled()
  expect(await differences(clocked)).toEqual([])
  const records = await collect(store.records.exportRequests({}))
  const endings = new Set(records.map(({ ending }) => ending))
  expect(endings).toEqual(
    new Set(['complete', 'cut', 'failed', 'client_left', 'refused', 'incomplete']),
  )
  expect(new Set(records.map(({ cause }) => cause))).toContain('concurrency_limited')
  for (const { reservedNano } of await store.admin.accounts()) expect(reservedNano).toBe(0)

  const sum = await charged(clocked)
  const [today = '', month] = ['2026-12-01', '2026-12']
  const usage = await Promise.all(keys.map((key) => clocked.usage(key)))
  expect(usage.map(({ balance }) => nano(balance))).toEqual([
    60_000_000 - sum('test'),
    1_000_000_000 - sum('second') - sum('third'),
    1_000_000_000 - sum('second') - sum('third'),
  ])
  expect(usage.map(({ budget }) => budget && Object.entries(budget))).toEqual([
    [
      ['total', { limit: '0.006', spent: expect.anything() }],
      ['day', { limit: '0.002', spent: expect.anything() }],
      ['month', null],
    ],
    [
      ['total', null],
      ['day', null],
      ['month', { limit: '0.003', spent: expect.anything() }],
    ],
    null,
  ])
  expect(nano(usage[0]?.budget?.total?.spent)).toBe(sum('test'))
  expect(nano(usage[0]?.budget?.day?.spent)).toBe(sum('test', today))
  expect(nano(usage[1]?.budget?.month?.spent)).toBe(sum('second', month))
  expect(sum('test', today)).toBeGreaterThan(0)
  expect(sum('test', today)).toBeLessThan(sum('test'))
})
