import { existsSync } from 'node:fs'
import type { ListStore, PageAsked } from '../../src/store/ports/lists.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { madeStart } from '../support/made-ledger.ts'
import { fillLedger } from './fill-ledger.ts'
import { spreadOf } from './suite/numbers.ts'

/**
 * How long the first page of each list of the console takes, each chart, and an export of all.
 *
 *   bun test/bench/lists.ts DATABASE [requests, where it has to be made: 1000000]
 */
const [path, count = '1000000'] = process.argv.slice(2)
if (path === undefined) {
  console.error('Name a file: bun test/bench/lists.ts DATABASE [requests]')
  process.exit(1)
}
if (!existsSync(path)) await fillLedger(path, Number(count))
const rounds = 5
const dayMs = 86_400_000
const page: PageAsked = { size: 50 }
const span = { since: madeStart + 2 * dayMs, until: madeStart + 3 * dayMs }
const month = { sinceDay: '2026-10-01', untilDay: '2026-10-31' }

const store = openSqliteStore({ path, clock: Date.now })
const { lists } = store

async function firstOf(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const row of rows) if (row) return
}

const questions: Readonly<Record<string, (from: ListStore) => Promise<unknown>>> = {
  requests: (from) => from.requests({}, page),
  'of an account': (from) => from.requests({ accountId: 7 }, page),
  'of a token': (from) => from.requests({ tokenId: 33 }, page),
  'of an account and a model': (from) => from.requests({ accountId: 7, model: 'house' }, page),
  failed: (from) => from.requests({ outcome: 'failed' }, page),
  'failed of an account': (from) => from.requests({ outcome: 'failed', accountId: 7 }, page),
  'with a cause': (from) => from.requests({ cause: 'interrupted' }, page),
  'with a cause that none has': (from) => from.requests({ cause: 'none' }, page),
  'of a model': (from) => from.requests({ model: 'painter' }, page),
  'of a rare model': (from) => from.requests({ model: 'nobody-has-17' }, page),
  'of no model': (from) => from.requests({ model: 'none' }, page),
  'in an old day': (from) => from.requests(span, page),
  attempts: (from) => from.attempts({}, page),
  'failed attempts of a channel': (from) =>
    from.attempts({ outcome: 'failed', channel: 'second' }, page),
  ledger: (from) => from.ledger({}, page),
  'ledger of an account': (from) => from.ledger({ accountId: 7 }, page),
  credits: (from) => from.ledger({ kinds: ['credit'] }, page),
  accounts: (from) => from.accounts({ search: 'COUNT-19' }, page),
  tokens: (from) => from.tokens({ search: 'token-3' }, { size: 100 }),
  'chart of an account': (from) => from.usage({ ...month, accountId: 7 }),
  'new requests': (from) => from.newRequests(1, 7, 50),
  'export, first page': (from) => firstOf(from.exportRequests({ accountId: 7 })),
}

for (const [name, ask] of Object.entries(questions)) {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await timeOf(() => ask(lists)))
  const { median, max } = spreadOf(times) ?? { median: Number.NaN, max: Number.NaN }
  console.log(`${name}: ${median.toFixed(1)} ms, at most ${max.toFixed(1)} ms`)
}
// These are remembered: the first answer is the slow one.
const usageMs = await timeOf(() => lists.usage(month))
const totalsMs = await timeOf(() => lists.totals(month.sinceDay, month.untilDay))
console.log(`chart of all: ${usageMs.toFixed(1)} ms; totals: ${totalsMs.toFixed(1)} ms`)
await store.close()

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
