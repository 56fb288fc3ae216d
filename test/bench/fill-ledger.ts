import { Database } from 'bun:sqlite'
import type { RequestRow, Settlement } from '../../src/store/ports/records.ts'
import { attemptFields, insertText, requestFields } from '../../src/store/schema/columns.ts'
import { fillUsageTotals } from '../../src/store/schema/sqlite.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { type MadeSize, madeStart, makeSettlements, makeWorld } from '../support/made-ledger.ts'

const perTransaction = 20_000

/** Makes a database with so many requests of every kind, the same one every time. */
export async function fillLedger(path: string, count: number, size?: MadeSize): Promise<void> {
  let now = size?.start ?? madeStart
  const store = openSqliteStore({ path, clock: () => now })
  const setClock = (ms: number) => {
    now = ms
  }
  await makeWorld(store, setClock, size)
  await store.close()
  const db = new Database(path, { strict: true })
  db.run('PRAGMA synchronous = OFF')
  db.run('PRAGMA cache_size = -262144')
  db.run('PRAGMA foreign_keys = OFF')
  const filler = createFiller(db)
  db.run('BEGIN')
  let done = 0
  for (const settlement of makeSettlements(count, size)) {
    filler.add(settlement)
    if (++done % perTransaction === 0) db.run('COMMIT; BEGIN')
  }
  filler.finish()
  db.run('COMMIT')
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

type Sums = Record<
  'requests' | 'failed' | 'begun' | 'firstByteMs' | (typeof summed)[number],
  number
>
const summed = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'amountNano',
] as const

function createFiller(db: Database) {
  const insertRequest = db.prepare(insertText('request', ['id', ...Object.keys(requestFields)]))
  const insertAttempt = db.prepare(
    insertText('attempt', ['requestRow', 'position', ...Object.keys(attemptFields)]),
  )
  const insertEntry = db.prepare(
    'INSERT INTO ledger (created_at, account_id, kind, amount_nano, request_id, reason, ' +
      'balance_after_nano) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const balances = new Map<number, number>()
  for (const { id, balance_nano } of db.query('SELECT id, balance_nano FROM account').all() as {
    id: number
    balance_nano: number
  }[]) {
    balances.set(id, balance_nano)
  }
  const days = new Map<string, Sums>()
  let row = 0

  function enter(request: RequestRow, kind: string, amountNano: number, requestId: string | null) {
    const balanceNano = (balances.get(request.accountId) ?? 0) + amountNano
    balances.set(request.accountId, balanceNano)
    const at = request.createdAt + request.durationMs
    const reason = requestId === null ? 'made up' : null
    insertEntry.run(at, request.accountId, kind, amountNano, requestId, reason, balanceNano)
  }

  function sum(request: RequestRow): void {
    const day = new Date(request.createdAt).toISOString().slice(0, 10)
    const model = request.priceId === null ? '' : (request.model ?? '')
    const key = `${request.tokenId} ${day} ${model}`
    const sums = days.get(key) ?? ({ requests: 0, failed: 0, begun: 0, firstByteMs: 0 } as Sums)
    sums.requests++
    if (request.cause !== null) sums.failed++
    if (request.firstByteMs !== null) sums.begun++
    sums.firstByteMs += request.firstByteMs ?? 0
    for (const name of summed) sums[name] = (sums[name] ?? 0) + request[name]
    days.set(key, sums)
  }

  return {
    add({ request, attempts }: Settlement): void {
      insertRequest.run({ extrasJson: null, stateJson: null, ...request, id: ++row })
      attempts.forEach((attempt, position) => {
        insertAttempt.run({ keyMark: null, ...attempt, requestRow: row, position })
      })
      sum(request)
      if (request.amountNano > 0) enter(request, 'charge', -request.amountNano, request.requestId)
      if (row % 997 === 0) enter(request, 'credit', 5_000_000_000, null)
      if (row % 4999 === 0) enter(request, 'debit', -1_000_000_000, null)
    },
    finish(): void {
      const setBalance = db.prepare('UPDATE account SET balance_nano = ? WHERE id = ?')
      for (const [id, balanceNano] of balances) setBalance.run(balanceNano, id)
      const insertDay = db.prepare(`INSERT INTO usage_day VALUES (${'?, '.repeat(13)}?)`)
      for (const [key, sums] of [...days].sort()) {
        const [token = '', day = '', model = ''] = key.split(' ')
        const { requests, failed, begun, firstByteMs } = sums
        const rest = [...summed.map((name) => sums[name]), failed, begun, firstByteMs]
        insertDay.run(Number(token), day, model, requests, ...rest)
      }
      db.run(fillUsageTotals)
      for (let at = 1; at <= 50; at++) reserve(db, at, at * 1_000)
    },
  }
}

function reserve(db: Database, accountId: number, amountNano: number): void {
  db.run(
    `INSERT INTO reservation VALUES (?, ?, ?, ?, 1, 'gpt-large', 'chat', 'completions', 1, 1, 800000, ?, NULL)`,
    [`req_open${accountId}`, madeStart, accountId, accountId * 5, amountNano],
  )
  db.run('UPDATE account SET reserved_nano = reserved_nano + ? WHERE id = ?', [
    amountNano,
    accountId,
  ])
}
