import { cpSync } from 'node:fs'
import { move } from '../../../src/app/move/move.ts'
import type { ListStore } from '../../../src/store/ports/lists.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { ask, startPostgres } from '../../support/postgres.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { sealKeys } from '../seal-keys.ts'

/** Where lists are asked for. */
export interface ListPlace extends AsyncDisposable {
  readonly lists: () => ListStore
  /** Forgets what is in memory: the store's own, and the database server's. */
  startAnew(): Promise<void>
}

interface Opened {
  readonly lists: ListStore
  close(): Promise<void>
}

/** A database file. */
export function openFile(path: string): Promise<ListPlace> {
  return placeOf(async () => openSqliteStore({ path, clock: Date.now }))
}

/** A PostgreSQL server that has all of a database file. */
export async function openMoved(path: string): Promise<ListPlace> {
  const server = await startPostgres()
  await ask(server.url('postgres'), 'CREATE DATABASE moved')
  const url = server.url('moved')
  await moveCopy(path, url)
  const place = await placeOf(() => openPostgresStore({ url, clock: Date.now }))
  return {
    lists: place.lists,
    async startAnew() {
      await server.stop('fast')
      await server.start()
      await place.startAnew()
    },
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function moveCopy(path: string, url: string): Promise<void> {
  using folder = createTempDir('tollgate-bench')
  const copy = folder.join('copy.db')
  cpSync(path, copy)
  sealKeys(copy)
  const source = { engine: 'sqlite', path: copy } as const
  const { rows } = await move({ source, target: { engine: 'postgres', url }, isRestarted: false })
  console.log(`${rows} rows moved to PostgreSQL`)
}

async function placeOf(open: () => Promise<Opened>): Promise<ListPlace> {
  let store = await open()
  return {
    lists: () => store.lists,
    async startAnew() {
      await store.close()
      store = await open()
      // A connection is made before anything is timed.
      await store.lists.audit({ subject: 'none' }, { size: 1 })
    },
    [Symbol.asyncDispose]: () => store.close(),
  }
}
