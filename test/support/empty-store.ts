import type { Clock } from '../../src/lib/clock.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { lendDatabase } from './lent-databases.ts'
import { createTempDir } from './temp-dir.ts'
import { testEngine } from './test-store.ts'

/** An empty store of a test's own; it is gone when it is closed. */
export async function openStore(clock: Clock): Promise<Store> {
  if (testEngine === 'sqlite') return openSqliteStore({ path: ':memory:', clock })
  const database = await lendDatabase()
  const store = await openPostgresStore({ url: database.url, clock })
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await store.close()
    await database[Symbol.asyncDispose]()
  }
  return {
    ...store,
    close() {
      closing ??= close()
      return closing
    },
  }
}

/** Where a store of a test's own is; empty, and for any number of openings. */
export interface LentPlace extends AsyncDisposable {
  /** What `tollgateYaml` takes for it. */
  readonly store: string
  /** Opens it, as a process of its own would. */
  open(clock: Clock): Promise<Store>
}

/** Lends one; dispose of it when nobody has it open any more. */
export async function lendPlace(): Promise<LentPlace> {
  if (testEngine === 'sqlite') {
    const folder = createTempDir('tollgate-place')
    const path = folder.join('tollgate.db')
    return {
      store: path,
      open: async (clock) => openSqliteStore({ path, clock }),
      [Symbol.asyncDispose]: async () => folder.remove(),
    }
  }
  const { url, ...database } = await lendDatabase()
  return {
    store: url,
    open: (clock) => openPostgresStore({ url, clock }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
