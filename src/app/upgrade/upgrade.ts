import { rmSync } from 'node:fs'
import { removeStaleDrafts } from '../../lib/draft-file.ts'
import { messageOf } from '../../lib/failure.ts'
import { humanBytes } from '../../lib/format.ts'
import type { Logger } from '../../lib/log.ts'
import type { StoreFile } from '../../store/ports/store.ts'
import { newestVersion } from '../../store/schema/versions.ts'
import { openDatabaseFile } from '../../store/sqlite/database-file.ts'
import { copiesOf, copyPath } from '../../store/sqlite/file.ts'
import { upgradeFile } from '../../store/sqlite/migrate.ts'
import { backUp } from '../backup/backup.ts'
import { requireOpened } from '../backup/secret.ts'
import { UserError } from '../user-error.ts'

interface UpgradeOptions {
  readonly database: string
  readonly withCopy: boolean
  readonly log: Pick<Logger, 'info'> | undefined
}

/**
 * Upgrades an older database file in one transaction, after placing a checked copy beside it for `restore`
 * or the former program.
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

/** Refuses an upgrade that could not be served afterwards. */
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
    // The secret stays in place, where the copy uses it too.
    const file = copyPath(database)
    return await backUp({ database, file, force: true, withSecret: false })
  } catch (cause) {
    throw new UserError(
      `The database ${database} is at version ${version} and was not upgraded to ${newestVersion}, ` +
        'because it could not be copied before: ' +
        `${messageOf(cause)} To upgrade it without a copy: ` +
        'tollgate serve --no-copy',
      { cause },
    )
  }
}

/** Gateways that must have served and ended in order before an upgrade is trusted. */
const runsBefore = 2

/** Removes the copies made before upgrades, at the third start after one. */
export async function removeCopies(file: StoreFile, log: Logger): Promise<void> {
  removeStaleDrafts(copyPath(file.path))
  const copies = copiesOf(file.path)
  if (copies.length === 0 || ((await file.endedRuns()) ?? 0) < runsBefore) return
  for (const copy of copies) {
    try {
      rmSync(copy)
      log.info('the copy of the database as it was before the upgrade is removed', { file: copy })
    } catch (error) {
      log.warn('a copy of the database could not be removed', { file: copy, error: String(error) })
    }
  }
}
