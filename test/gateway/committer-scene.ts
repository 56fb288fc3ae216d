import { Database } from 'bun:sqlite'
import type { Denial } from '../../src/gateway/money/commit-item.ts'
import { type Committer, createCommitter } from '../../src/gateway/money/committer.ts'
import { createLogger } from '../../src/lib/log.ts'
import type {
  Batch,
  Committed,
  RecordStore,
  Reservation,
  Spool,
} from '../../src/store/ports/records.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { collect, now, seed, settlement, temporaryDirectory } from '../store/support.ts'

/** What the seeded account has. */
export const opening = 1_000_000_000

/** A settlement of the request `req_<id>`. */
export const one = (id: number, amountNano = 100) =>
  settlement({ requestId: `req_${id}`, amountNano })

/** Reserves; resolves, or rejects, as the asker hears. */
export function reserveBy(
  committer: Pick<Committer, 'reserve'>,
  reservation: Reservation,
): Promise<Denial> {
  const listener = Promise.withResolvers<Denial>()
  committer.reserve(reservation, listener)
  return listener.promise
}

/** A committer before a store in a file, with all that it gave and was given. */
export interface CommitterScene extends AsyncDisposable {
  readonly store: Store
  readonly committer: Committer
  /** What the store was asked to commit, the failed ones too. */
  readonly batches: Batch[]
  readonly committed: { readonly batch: Batch; readonly result: Committed }[]
  /** Log lines, parsed. */
  readonly lines: Record<string, unknown>[]
  /** Locks the database as another process does that writes for long; gives what ends it. */
  lock(): () => void
  /** Ids of the stored requests. */
  stored(): Promise<readonly string[]>
  /** Request ids with what is set aside for them. */
  reserved(): Record<string, number>
  balance(): Promise<number | undefined>
}

/** `onBatch` may throw in the store's place; `busyTimeoutMs`: how long a locked one is waited for. */
export async function createCommitterScene({
  onBatch = () => {},
  busyTimeoutMs = 40,
  spool,
}: {
  readonly onBatch?: (batch: Batch) => void
  readonly busyTimeoutMs?: number
  readonly spool?: Spool
} = {}): Promise<CommitterScene> {
  const directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const store = openSqliteStore({ path, clock: () => now, busyTimeoutMs })
  await seed(store)
  const beside = new Database(path)
  const batches: Batch[] = []
  const committed: CommitterScene['committed'] = []
  const lines: Record<string, unknown>[] = []
  const log = createLogger({
    sink: (line) => lines.push(JSON.parse(line)),
    pretty: false,
    clock: () => now,
    level: 'info',
  })
  const records: RecordStore = {
    ...store.records,
    async commit(batch) {
      batches.push(batch)
      onBatch(batch)
      return store.records.commit(batch)
    },
  }
  const onCommitted = (batch: Batch, result: Committed) => committed.push({ batch, result })
  return {
    store,
    committer: createCommitter(records, onCommitted, log, spool),
    batches,
    committed,
    lines,
    lock() {
      beside.run('BEGIN IMMEDIATE')
      return () => beside.run('ROLLBACK')
    },
    stored: async () =>
      (await collect(store.records.exportRequests({}))).map((row) => row.requestId),
    reserved() {
      const rows = beside.query('SELECT request_id AS id, amount_nano AS nano FROM reservation')
      const found = rows.all() as { id: string; nano: number }[]
      return Object.fromEntries(found.map(({ id, nano }) => [id, nano]))
    },
    balance: async () => (await store.admin.account('ann@example.com'))?.balanceNano,
    async [Symbol.asyncDispose]() {
      beside.close()
      await store.close()
      directory[Symbol.dispose]()
    },
  }
}
