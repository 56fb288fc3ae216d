import { join } from 'node:path'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { databaseOf, testEngine } from './test-store.ts'

/** Opens the store of commands in `folder`, in this process, for what a test puts in or looks for. */
export async function openStoreOf(folder: string, clock: Clock = systemClock): Promise<Store> {
  if (testEngine === 'sqlite') return openSqliteStore({ path: join(folder, 'tollgate.db'), clock })
  const { openPostgresStore } = await import('../../src/store/postgres/open.ts')
  return openPostgresStore({ url: await databaseOf(folder), clock })
}
