import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ListStore, PageAsked } from '../../src/store/ports/lists.ts'
import { madeStart } from '../support/made-ledger.ts'
import { fillLedger } from './fill-ledger.ts'
import { type ListPlace, openFile, openMoved } from './lists/places.ts'
import { spreadOf } from './suite/numbers.ts'

/** How long the first page of each list of the console takes, each chart, and an export of all. */
const usage = `Usage: bun test/bench/lists.ts DATABASE [--requests N] [--postgres]

DATABASE    a file, which is made where there is none (0.9 GB for the usual 1000000 requests)
--postgres  asks a PostgreSQL server that all was moved to, which is started anew for each question`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: '1000000' },
    postgres: { type: 'boolean', default: false },
  },
})
const [path] = positionals
if (path === undefined) {
  console.error(usage)
  process.exit(1)
}
if (!existsSync(path)) await fillLedger(path, Number(values.requests))
const rounds = 5
const dayMs = 86_400_000
const page: PageAsked = { size: 50 }
const span = { since: madeStart + 2 * dayMs, until: madeStart + 3 * dayMs }
const month = { sinceDay: '2026-10-01', untilDay: '2026-10-31' }
const rare = 'nobody-has-17'

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
  'of a rare model': (from) => from.requests({ model: rare }, page),
  'of no model': (from) => from.requests({ model: 'none' }, page),
  'in an old day': (from) => from.requests(span, page),
  'in an old day, of no model': (from) => from.requests({ ...span, model: 'none' }, page),
  'in a year without any': (from) => from.requests({ until: madeStart - 300 * dayMs }, page),
  attempts: (from) => from.attempts({}, page),
  'attempts of no channel': (from) => from.attempts({ channel: 'none' }, page),
  'failed attempts of a channel': (from) =>
    from.attempts({ outcome: 'failed', channel: 'second' }, page),
  'attempts in an old day': (from) => from.attempts(span, page),
  ledger: (from) => from.ledger({}, page),
  'ledger of an account': (from) => from.ledger({ accountId: 7 }, page),
  'ledger in an old day': (from) => from.ledger(span, page),
  credits: (from) => from.ledger({ kinds: ['credit'] }, page),
  accounts: (from) => from.accounts({ search: 'COUNT-19' }, page),
  tokens: (from) => from.tokens({ search: 'token-3' }, { size: 100 }),
  audit: (from) => from.audit({}, page),
  'chart of an account': (from) => from.usage({ ...month, accountId: 7 }),
  'chart of a token': (from) => from.usage({ ...month, tokenId: 33 }),
  'new requests': (from) => from.newRequests(1, 7, 50),
  'export of an account': (from) => firstOf(from.exportRequests({ accountId: 7 })),
  'export of a rare model': (from) => firstOf(from.exportRequests({ model: rare })),
  'export of the ledger': (from) => firstOf(from.exportLedger(span)),
}
/** What is remembered: only the first answer is timed. */
const charts: typeof questions = {
  'chart of all': (from) => from.usage(month),
  'totals of all': (from) => from.totals(month.sinceDay, month.untilDay),
}

await using place = await (values.postgres ? openMoved(path) : openFile(path))
for (const [name, ask] of Object.entries(questions)) await time(place, name, ask, rounds)
for (const [name, ask] of Object.entries(charts)) await time(place, name, ask, 1)

async function time(
  { lists, startAnew }: ListPlace,
  name: string,
  ask: (from: ListStore) => Promise<unknown>,
  times: number,
): Promise<void> {
  await startAnew()
  const took: number[] = []
  for (let round = 0; round < times; round++) {
    const startedAt = performance.now()
    await ask(lists())
    took.push(performance.now() - startedAt)
  }
  const { median, max } = spreadOf(took.slice(1)) ?? { median: Number.NaN, max: Number.NaN }
  const [first = Number.NaN] = took
  const numbers = [first, median, max].map((ms) => ms.toFixed(1).padStart(8)).join('')
  console.log(`${name.padEnd(28)} first, median, at most ${numbers} ms`)
}
