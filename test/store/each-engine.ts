import { Database } from 'bun:sqlite'
import { describe } from 'bun:test'
import type { Clock } from '../../src/lib/clock.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { openTestDesk, openTestWorker, overLink } from '../support/keeper-link.ts'
import { lendDatabase } from '../support/lent-databases.ts'
import { ask, hasPostgres } from '../support/postgres.ts'
import { now, seed, temporaryDirectory } from './support.ts'

export type EngineName = 'SQLite' | 'PostgreSQL'

/** What every engine has. */
export type AnyStore = Omit<Store, 'claimServing'>

/** A store for one test, with a second connection that reads what is in it. */
export interface TestStore extends AsyncDisposable {
  readonly store: AnyStore
  /** Another one on the same database, as another process would have it open. */
  openBeside(): Promise<AnyStore>
  rows<Row extends object>(sql: string): Promise<readonly Row[]>
  /** Changes the database behind the store's back. */
  change(sql: string): Promise<unknown>
  /** Request ids with what is set aside for them. Throws when the accounts carry another sum. */
  reserved(): Promise<Record<string, number>>
}

type Access = Pick<TestStore, 'rows' | 'change' | 'openBeside'> & { readonly store: AnyStore }

function withSums(access: Access, end: () => Promise<void>): TestStore {
  return {
    ...access,
    async reserved() {
      const wrong = await access.rows(
        `SELECT * FROM (SELECT email, reserved_nano, (SELECT coalesce(sum(amount_nano), 0)
           FROM reservation WHERE account_id = account.id) + (SELECT coalesce(sum(amount_nano), 0)
           FROM lease WHERE purse = account.id) AS summed FROM account) AS sums
         WHERE reserved_nano <> summed`,
      )
      if (wrong.length > 0) throw new Error(`Not the sum: ${JSON.stringify(wrong)}`)
      const found = await access.rows<{ id: string; nano: number }>(
        'SELECT request_id AS id, amount_nano AS nano FROM reservation ORDER BY request_id',
      )
      return Object.fromEntries(found.map(({ id, nano }) => [id, nano]))
    },
    [Symbol.asyncDispose]: end,
  }
}

async function openSqlite(clock: Clock): Promise<TestStore> {
  const directory = temporaryDirectory()
  const path = directory.file('gate.db')
  const open = () => openSqliteStore({ path, clock, busyTimeoutMs: 50 })
  const store = open()
  const beside = new Database(path, { readonly: true })
  const access = {
    store,
    openBeside: async () => open(),
    rows: async <Row extends object>(sql: string) => beside.query<Row, []>(sql).all(),
    async change(sql: string) {
      using db = new Database(path)
      db.run(sql)
    },
  }
  return withSums(access, async () => {
    beside.close()
    await store.close()
    directory[Symbol.dispose]()
  })
}

async function openPostgres(clock: Clock): Promise<TestStore> {
  const database = await lendDatabase()
  const open = () => openPostgresStore({ url: database.url, clock, patienceMs: 2_000 })
  const store = await open()
  const access = {
    store,
    openBeside: open,
    rows: <Row extends object>(sql: string) => ask<Row>(database.url, sql),
    change: (sql: string) => ask(database.url, sql),
  }
  return withSums(access, async () => {
    await store.close()
    await database[Symbol.asyncDispose]()
  })
}

/** The same, of a process that has it from a keeper. */
async function openLinked(clock: Clock): Promise<TestStore> {
  const { store: real, ...file } = await openSqlite(clock)
  const { desk, address } = openTestDesk(real)
  const keeper = await openTestWorker(address)
  return {
    ...file,
    store: overLink(real, keeper),
    async [Symbol.asyncDispose]() {
      keeper.close()
      desk.close()
      await file[Symbol.asyncDispose]()
    },
  }
}

/** Opens a store, seeded unless it is to be empty; its clock stands still at `now` when none is given. */
export type OpenStore = (clock?: Clock, content?: 'empty') => Promise<TestStore>

const openWith =
  (openEngine: (clock: Clock) => Promise<TestStore>): OpenStore =>
  async (clock = () => now, content) => {
    const opened = await openEngine(clock)
    if (content !== 'empty') await seed(opened.store)
    return opened
  }

/** Declares the same tests for every engine: what they promise does not depend on it. */
export function eachEngine(tests: (open: OpenStore, name: EngineName) => void): void {
  describe('SQLite', () => tests(openWith(openSqlite), 'SQLite'))
  describe.skipIf(!hasPostgres)('PostgreSQL', () => tests(openWith(openPostgres), 'PostgreSQL'))
}

/** The same, and for a process that has its store from a keeper: of what the way of a request does. */
export function eachEngineAndLink(tests: (open: OpenStore, name: EngineName) => void): void {
  eachEngine(tests)
  describe('SQLite, over a link', () => tests(openWith(openLinked), 'SQLite'))
}
