import { Database } from 'bun:sqlite'
import type { Reservation } from '../../../src/store/ports/records.ts'
import type { Store } from '../../../src/store/ports/store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, seed, temporaryDirectory } from '../support.ts'

/** What is set aside for one request of the seeded account. */
export function reservation(
  changes: Partial<Reservation> & { readonly requestId: string },
): Reservation {
  return {
    createdAt: now,
    accountId: 1,
    tokenId: 1,
    groupId: 1,
    model: 'small',
    clientProtocol: 'chat',
    operation: 'completions',
    stream: true,
    priceId: 1,
    multiplierMillionths: 800_000,
    amountNano: 100,
    ...changes,
  }
}

/** A seeded store in a file, with a second connection that reads what is in it. */
export interface FileStore extends AsyncDisposable {
  readonly path: string
  readonly store: Store
  rows<Row extends object>(sql: string): Row[]
  /** Changes the file behind the store's back. */
  change(sql: string): void
  /** Request ids with what is set aside for them. Throws when the accounts carry another sum. */
  reserved(): Record<string, number>
}

export async function createFileStore(clock = () => now): Promise<FileStore> {
  const directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const store = openSqliteStore({ path, clock, busyTimeoutMs: 50 })
  await seed(store)
  const beside = new Database(path, { readonly: true })
  const rows = <Row extends object>(sql: string) => beside.query<Row, []>(sql).all()
  return {
    path,
    store,
    rows,
    change(sql) {
      const db = new Database(path)
      db.run(sql)
      db.close()
    },
    reserved() {
      const wrong = rows(
        `SELECT email, reserved_nano, (SELECT ifnull(sum(amount_nano), 0) FROM reservation
           WHERE account_id = account.id) AS summed FROM account WHERE reserved_nano <> summed`,
      )
      if (wrong.length > 0) throw new Error(`Not the sum: ${JSON.stringify(wrong)}`)
      const found = rows<{ id: string; nano: number }>(
        'SELECT request_id AS id, amount_nano AS nano FROM reservation ORDER BY request_id',
      )
      return Object.fromEntries(found.map(({ id, nano }) => [id, nano]))
    },
    async [Symbol.asyncDispose]() {
      beside.close()
      await store.close()
      directory[Symbol.dispose]()
    },
  }
}
