import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeWholeFile } from '../../lib/draft-file.ts'
import { failureCode } from '../../lib/failure.ts'
import type { StoreConfig } from '../config/config.ts'
import { fileOf } from '../store-place.ts'
import { UserError } from '../user-error.ts'
import { isVersion } from './release.ts'

/** The newest version that was ever offered here, and when its list was made; files of before have no time. */
export interface SeenRelease {
  readonly version: string
  readonly madeAt: string
}

/** Keeps what was seen in a file. A list that is older than that, even a signed one, keeps a release back. */
export interface Seen {
  /** Undefined: it is not kept. */
  readonly file: string | undefined
  read(): SeenRelease | undefined
  /** Throws a `UserError` when the file can't be written. */
  write(seen: SeenRelease): Promise<void>
}

/** Beside a database file; of a node on PostgreSQL beside its spool. */
export function seenBeside(store: StoreConfig): Seen {
  const database = fileOf(store)
  const folder = store.spool == null ? undefined : dirname(store.spool)
  if (database !== undefined) return seenIn(`${database}.updates`)
  return seenIn(folder && join(folder, 'tollgate.updates'))
}

const seenIn = (file: string | undefined): Seen => ({
  file,
  read() {
    if (file === undefined || !existsSync(file)) return undefined
    const [version = '', madeAt = ''] = readFileSync(file, 'utf8').trim().split(' ')
    return isVersion(version) ? { version, madeAt } : undefined
  },
  async write({ version, madeAt }) {
    if (file === undefined) return
    try {
      // The gateway reads it as another user than the one who upgrades.
      await writeWholeFile(file, Buffer.from(`${version} ${madeAt}\n`), { mode: 0o644 })
    } catch (cause) {
      throw new UserError(
        `${file}, which keeps the newest release that was seen, can't be written (${failureCode(cause)}): make ` +
          'room there, and let this user write there. Nothing was changed.',
        { cause },
      )
    }
  },
})
