import { Database } from 'bun:sqlite'
import { copyFileSync } from 'node:fs'
import type { Difference } from '../../../src/app/verify/findings.ts'
import { type Verified, verify } from '../../../src/app/verify/verify.ts'
import type { Reservation } from '../../../src/store/ports/records.ts'
import type { Store } from '../../../src/store/ports/store.ts'
import type { VerificationStore } from '../../../src/store/ports/verification.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { madeStart, makeSettlements, makeWorld } from '../../support/made-ledger.ts'

/** So far apart that some hundred requests take days, in which prices change. */
const stepMs = 600_000
/** Some dozen requests each: PostgreSQL makes an account with its tokens in as long as it settles ten requests. */
export const accounts = 40

/** A database with every kind of row, written by the store itself. */
export async function makeDatabase(path: string, count: number, of = accounts): Promise<void> {
  let now = madeStart
  const store = openSqliteStore({ path, clock: () => now })
  const setClock = (ms: number) => {
    now = ms
  }
  await fillStore(store, count, setClock, of)
  await store.close()
}

/** The same in a store that is open and empty, and whose clock is set by `setClock`. */
export async function fillStore(
  store: Pick<Store, 'admin' | 'records'>,
  count: number,
  setClock: (ms: number) => void,
  of = accounts,
): Promise<void> {
  setClock(madeStart)
  await makeWorld(store, setClock, { accounts: of })
  await store.records.commit({ reserve: [1, 2, 3].map((at) => reservation(`req_left${at}`, at)) })
  await store.records.sweep() // these are interrupted requests now
  for (const settlement of makeSettlements(count, { stepMs, accounts: of })) {
    // Each is charged when it ends, as a gateway does.
    setClock(settlement.request.createdAt + settlement.request.durationMs)
    await store.records.commit({ settle: [settlement] })
  }
  await store.records.commit({ reserve: [reservation('req_open', 7)] })
  await adjust(store)
}

async function adjust(store: Pick<Store, 'admin'>): Promise<void> {
  for (const [kind, amountNano] of [
    ['credit', 5_000_000_000],
    ['debit', 1_000_000_000],
  ] as const) {
    const account = 'account-9@example.com'
    const parts = { account, kind, amountNano, reason: 'made up', actor: 'command line' }
    await store.admin.adjust({ ...parts, idempotencyKey: kind })
  }
}

/** What is set aside for a request of the account's first token. */
export function reservation(requestId: string, accountId: number): Reservation {
  return {
    requestId,
    createdAt: madeStart,
    accountId,
    tokenId: (accountId - 1) * 5 + 1,
    groupId: 1,
    model: 'gpt-large',
    clientProtocol: 'chat',
    operation: 'completions',
    stream: true,
    priceId: 1,
    multiplierMillionths: 800_000,
    amountNano: 1_000_000,
  }
}

/** What a verification came to. */
export interface Outcome {
  readonly verified: Verified
  readonly found: readonly Difference[]
}

/** Verifies a whole store, or what came `since`. */
export async function verifyStore(
  store: VerificationStore,
  since?: number,
  isDeep = false,
): Promise<Outcome> {
  const found: Difference[] = []
  const verified = await verify({
    store,
    ...{ since, isDeep },
    tick: () => 0,
    onProgress() {},
    async onFound(more) {
      found.push(...more)
    },
  })
  return { verified, found }
}

/** Verifies the database of a file. */
export async function verifyFile(path: string, since?: number, isDeep = false): Promise<Outcome> {
  const store = openSqliteStore({ path, clock: () => madeStart })
  try {
    return await verifyStore(store.verification, since, isDeep)
  } finally {
    await store.close()
  }
}

/** Changes a copy of a database by plain SQL, as somebody with access to the file could. */
export function tamper(from: string, to: string, change: (db: Database) => void): void {
  copyFileSync(from, to)
  using db = new Database(to, { strict: true })
  db.run('PRAGMA foreign_keys = OFF')
  change(db)
}
