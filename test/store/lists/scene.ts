import type { Listed, PageAsked } from '../../../src/store/ports/lists.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { fillStore, makeDatabase } from '../../app/verify/scene.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import type { AnyStore, EngineName } from '../each-engine.ts'
import { now, temporaryDirectory } from '../support.ts'

/** A store with requests of every kind. */
export interface MadeStore extends AsyncDisposable {
  /** Of a file, or the address of a database. */
  readonly path: string
  readonly store: AnyStore
}

export function createMadeStore(count: number, engine: EngineName = 'SQLite'): Promise<MadeStore> {
  return engine === 'SQLite' ? createInFile(count) : createInPostgres(count)
}

async function createInFile(count: number): Promise<MadeStore> {
  const directory = temporaryDirectory()
  const path = directory.file('made.db')
  await makeDatabase(path, count)
  const store = openSqliteStore({ path, clock: () => now })
  return {
    path,
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      directory[Symbol.dispose]()
    },
  }
}

async function createInPostgres(count: number): Promise<MadeStore> {
  const database = await lendDatabase()
  let time = now
  const store = await openPostgresStore({ url: database.url, clock: () => time })
  await fillStore(store, count, (ms) => {
    time = ms
  })
  time = now
  return {
    path: database.url,
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** A size of pages of which there are some ten at most, and `least` where rows are few. */
export const sizeOfPages = (rows: number, least: number): number =>
  Math.max(least, Math.ceil(rows / 10))

/** All rows of a list, page by page. Throws when a page is larger than asked for. */
export async function readPages<Row>(
  list: (page: PageAsked) => Promise<Listed<Row>>,
  size: number,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  while (true) {
    const page = await list({ cursor, size })
    if (page.rows.length > size) throw new Error(`${page.rows.length} rows, not ${size}`)
    rows.push(...page.rows)
    if (page.next === null) return rows
    cursor = page.next
  }
}
