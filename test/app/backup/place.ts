import { existsSync } from 'node:fs'
import { createSecretBox, loadSecret } from '../../../src/lib/secrets.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { reservation } from '../../store/sqlite/file-store.ts'
import { channelWrite, now, seed, settlement, tokenWrite } from '../../store/support.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

/** A folder with a database, as a gateway has it: sealed keys, its secret beside it, requests. */
export interface Place extends TempDir {
  readonly database: string
}

/** Makes it; `underWay` are requests that have a reservation. */
export async function createPlace(requests = 3, underWay = 0): Promise<Place> {
  const folder = createTempDir('tollgate-backup')
  const database = folder.join('tollgate.db')
  const { secret } = loadSecret({ env: undefined, file: `${database}.secret` })
  const box = createSecretBox(secret)
  const store = openSqliteStore({ path: database, clock: () => now })
  await seed(store)
  await store.admin.write({
    channels: [channelWrite({ keysSealed: box.seal('["upstream-key"]') })],
    tokens: [tokenWrite({ keySealed: box.seal('sk-1') })],
  })
  const settle = Array.from({ length: requests }, (_, i) => settlement({ requestId: `req_${i}` }))
  const reserve = Array.from({ length: underWay }, (_, i) =>
    reservation({ requestId: `open_${i}` }),
  )
  await store.records.commit({ settle, reserve })
  await store.close()
  return { ...folder, database }
}

/** What lies where a database may be; empty when nothing does. */
export const placeOf = (database: string): readonly string[] =>
  ['', '-wal', '-shm', '-journal', '.secret'].filter((ending) => existsSync(database + ending))
