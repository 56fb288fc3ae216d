import { unfinished } from '../moving/move.ts'
import { StoreError } from '../ports/store-error.ts'
import { postgresSchema } from '../schema/postgres.ts'
import {
  checkVersion,
  firstVersion,
  newestVersion,
  notUpgraded,
  programVersion,
  stepsFrom,
  tooOld,
} from '../schema/versions.ts'
import { ask, type Connection, type Connections } from './connections.ts'
import { createPatience, inTransaction } from './engine.ts'
import { isOfStatement } from './failures.ts'
import { type CopyProgress, takeOver } from './take-over.ts'

/** Key of the lock that one node at a time migrates under: `TGAT` in ASCII. */
const lockKey = 0x54474154

const patienceMs = 5_000

/** 0: nothing is there. Throws `StoreError` for another program's tables, or half a move. */
export async function readVersion(connection: Connection, place: string): Promise<number> {
  const [found] = await ask(
    connection,
    `SELECT to_regclass('schema_version') IS NOT NULL AS "isOurs",
    to_regclass('unfinished_move') IS NOT NULL AS "isUnfinished", EXISTS (
      SELECT FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    ) AS "hasTables"`,
  )
  if (found?.isUnfinished) throw unfinished(place)
  if (found?.isOurs) {
    return Number((await ask(connection, 'SELECT version FROM schema_version'))[0]?.version)
  }
  if (!found?.hasTables) return 0
  throw new StoreError(
    `The database ${place} belongs to another program. Give the name of a new database instead.`,
  )
}

/** Makes nodes of the former version wait, in their own locking order. */
const lockWriters = `LOCK TABLE schema_version IN EXCLUSIVE MODE;
  LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE`

/** The version as it was read before; throws when it is a newer one. */
async function requireKnown(connection: Connection, place: string, version: number) {
  if (version <= newestVersion) return
  const [found] = await ask(connection, "SELECT to_regclass('program') IS NOT NULL AS has")
  const [writer] = found?.has ? await ask(connection, 'SELECT version FROM program') : []
  checkVersion(version, place, () => ({ program: writer && String(writer.version) }))
}

async function migrateUnderLock(
  connection: Connection,
  place: string,
  onProgress: MigrateOptions['onProgress'],
): Promise<void> {
  await ask(connection, 'SELECT pg_advisory_xact_lock($1)', lockKey)
  const version = await readVersion(connection, place)
  await requireKnown(connection, place, version)
  if (version >= newestVersion) return
  if (version > 0) await connection.query({ text: lockWriters })
  if (version === 0) await connection.query({ text: postgresSchema })
  else if (version < firstVersion) await takeOver(connection, place, onProgress)
  for (const { postgres } of stepsFrom(version)) {
    if (postgres !== undefined) await connection.query({ text: postgres })
  }
  await connection.query({
    text: `CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL);
      DELETE FROM schema_version; DELETE FROM program`,
  })
  await ask(connection, 'INSERT INTO schema_version VALUES ($1)', newestVersion)
  await ask(connection, 'INSERT INTO program VALUES ($1, NULL)', programVersion)
}

/** The version of a database, which is left as it is: 0 when it is empty. Throws for a newer one. */
export const knownVersion = ({ lend, place }: Connections): Promise<number> =>
  lend(async (connection) => {
    const version = await readVersion(connection, place)
    await requireKnown(connection, place, version)
    return version
  })

export interface MigrateOptions {
  /** Only a node that is to serve upgrades a database, also while older nodes serve from it. */
  readonly toServe?: boolean | undefined
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
}

/** Upgrades a database to the newest version, in one transaction and on one node at a time. */
export async function migrate(
  connections: Connections,
  { toServe = false, onProgress }: MigrateOptions = {},
): Promise<void> {
  const { place } = connections
  const version = await knownVersion(connections)
  if (version === newestVersion) return
  if (version > 0 && !toServe) throw tooOld(version, place)
  // Concurrent readers may cause a conflict: then all of it is retried.
  const patiently = createPatience(connections, patienceMs)
  try {
    await patiently(() =>
      inTransaction(connections, 'plain', (connection) =>
        migrateUnderLock(connection, place, onProgress),
      ),
    )
  } catch (error) {
    const refused = error instanceof StoreError ? error.cause : error
    throw version > 0 && isOfStatement(refused) ? notUpgraded(version, place, refused) : error
  }
}
