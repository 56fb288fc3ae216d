import { humanBytes } from '../../lib/format.ts'
import type { Logger } from '../../lib/log.ts'
import { newestVersion } from '../../store/schema/versions.ts'
import { openDatabaseFile } from '../../store/sqlite/database-file.ts'
import { copyPath } from '../../store/sqlite/file.ts'
import { upgradeFile } from '../../store/sqlite/migrate.ts'
import { backUp } from '../backup/backup.ts'
import { requireOpened } from '../backup/secret.ts'
import { UserError } from '../instance.ts'

export interface UpgradeOptions {
  readonly database: string
  /** False: no copy of the database as it was is kept beside it. */
  readonly withCopy: boolean
  readonly log: Pick<Logger, 'info'> | undefined
}

/**
 * Brings a database file to this program's version, when it is of a former one. Before the first step
 * a checked copy of it is laid beside it, where a former program, or `restore`, finds it. All steps are
 * one transaction: whenever the process is ended, the database is the old one or the new one.
 */
export async function upgrade({ database, withCopy, log }: UpgradeOptions): Promise<void> {
  const before = await upgradeFile(database, async (version) => {
    await requireSecret(database)
    log?.info('upgrading the database', { database, version, to: newestVersion })
    if (!withCopy) return
    const { file, sizeBytes } = await copy(database, version)
    log?.info('copied as it was', { file, size: humanBytes(sizeBytes) })
  })
  if (before !== undefined) log?.info('upgraded', { database, version: newestVersion })
}

/** Nothing is upgraded that could not be served from then. */
async function requireSecret(database: string): Promise<void> {
  const file = await openDatabaseFile(database)
  try {
    requireOpened(database, await file.sealedKeys())
  } finally {
    await file.close()
  }
}

async function copy(database: string, version: number) {
  try {
    // The secret stays where it is: whoever goes back to the copy finds it there.
    const file = copyPath(database)
    return await backUp({ database, file, force: true, withSecret: false })
  } catch (cause) {
    throw new UserError(
      `The database ${database} is at version ${version} and was not upgraded to ${newestVersion}, ` +
        'because it could not be copied before: ' +
        `${cause instanceof Error ? cause.message : String(cause)} To upgrade it without a copy: ` +
        'tollgate serve --no-copy',
      { cause },
    )
  }
}
