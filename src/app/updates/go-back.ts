import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { counted } from '../../lib/format.ts'
import { lookAt, openDatabaseFile } from '../../store/sqlite/database-file.ts'
import { usableCopy } from '../../store/sqlite/file.ts'
import type { StoreConfig } from '../config/config.ts'
import { describeStore, fileOf, isOnServer } from '../store-place.ts'
import { UserError } from '../user-error.ts'

/** How a command names the configuration, wherever it is called. */
export const configOption = (file: string | undefined): string =>
  file === undefined ? '' : ` --config ${resolve(file)}`

interface BackParts {
  readonly store: StoreConfig
  readonly program: string
  readonly configFile: string | undefined
  /** The program to go back to, and what it says of itself. */
  readonly previous: string
  readonly version: string
  readonly schemaVersion: number
}

/** Throws a `UserError` when the former program does not know the database, with what going back would lose. */
export async function requireGoingBack(parts: BackParts): Promise<void> {
  const { store, version, schemaVersion } = parts
  const found = await versionOf(store)
  if (found <= schemaVersion) return
  throw new UserError(
    `The database ${describeStore(store)} is at version ${found}, and Tollgate ${version} knows ` +
      `${schemaVersion}: it would not start, so nothing was changed. ${await wayBack(parts)}`,
  )
}

async function versionOf(store: StoreConfig): Promise<number> {
  if (isOnServer(store)) {
    const { createConnections } = await import('../../store/postgres/connections.ts')
    const { knownVersion } = await import('../../store/postgres/migrate.ts')
    const connections = createConnections({ url: store.url, connections: 1 })
    return await knownVersion(connections).finally(connections.close)
  }
  const file = fileOf(store)
  return file !== undefined && existsSync(file) ? lookAt(file).version : 0
}

async function wayBack(parts: BackParts): Promise<string> {
  const { store, program, previous, schemaVersion } = parts
  const database = fileOf(store)
  const copy = database && usableCopy(database, schemaVersion)
  if (database === undefined || copy === undefined)
    return (
      `To go back, stop the gateway, restore a backup that was made before the upgrade with ${previous}, ` +
      'then run this again. What was stored since is not in it.'
    )
  const charged = await chargedSince(database, copy)
  const config = configOption(parts.configFile)
  return (
    `${counted(charged, 'request')} ${charged === 1 ? 'was' : 'were'} charged since the upgrade: ` +
    `${copy} is the database as it was before. To go back without ${charged === 1 ? 'it' : 'them'}, stop ` +
    `the gateway, move ${database}, ${database}-wal and ${database}-shm away, then: ${previous} restore ` +
    `${copy}${config} && ${program} upgrade --back${config}`
  )
}

async function chargedSince(database: string, copy: string): Promise<number> {
  const [now, then] = [await openDatabaseFile(database), await openDatabaseFile(copy)]
  try {
    return await now.chargedSince((await then.newest()).newestLedgerEntry)
  } finally {
    await now.close()
    await then.close()
  }
}
