import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { failureCode } from '../backup/backup.ts'

/** A backup in the folder. */
export interface BackupFile {
  readonly name: string
  readonly sizeBytes: number
  readonly createdAt: number
}

/** `tollgate-20261121-083012.db`, and nothing else: no name leads out of the folder. */
const namePattern = /^tollgate-\d{8}-\d{6}(-\d+)?\.db$/

/** The backups beside a database, in `backups/`. */
export interface BackupFolder {
  readonly path: string
  /** Newest first. */
  list(): Promise<readonly BackupFile[]>
  /** Undefined: there is none of that name. */
  find(name: string): Promise<(BackupFile & { readonly file: string }) | undefined>
  /** Path for a new one; makes the folder, for its owner's eyes only. */
  next(now: number): Promise<string>
  /** False: it was not there. */
  remove(name: string): Promise<boolean>
}

/** Undefined for a database in memory: nothing lies beside it. */
export function createBackupFolder(database: string): BackupFolder | undefined {
  if (database === ':memory:') return undefined
  const path = join(dirname(database), 'backups')

  async function find(name: string) {
    if (!namePattern.test(name)) return undefined
    const file = join(path, name)
    const found = await stat(file).catch(missing)
    if (!found?.isFile()) return undefined
    return { name, file, sizeBytes: found.size, createdAt: Math.round(found.mtimeMs) }
  }

  return {
    path,
    find,
    async list() {
      const names = (await readdir(path).catch(missing)) ?? []
      const files = await Promise.all(names.sort().reverse().map(find))
      return files.flatMap((one) =>
        one ? [{ name: one.name, sizeBytes: one.sizeBytes, createdAt: one.createdAt }] : [],
      )
    },
    async next(now) {
      await mkdir(path, { recursive: true, mode: 0o700 })
      const time = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
      for (let count = 1; ; count++) {
        const name = `tollgate-${time}${count === 1 ? '' : `-${count}`}.db`
        if ((await find(name)) === undefined) return join(path, name)
      }
    },
    async remove(name) {
      const found = await find(name)
      if (found === undefined) return false
      await rm(found.file)
      return true
    },
  }
}

function missing(error: unknown): undefined {
  if (failureCode(error) === 'ENOENT') return undefined
  throw error
}
