import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync } from 'node:fs'

/**
 * Takes a database for one serving process: true, or false while another has it. The claim is a lock
 * on a file beside the database, which the system releases when the process ends, however it ends.
 * Commands work beside it: they need no claim.
 */
export function createClaim(path: string) {
  let holder: Database | undefined
  return {
    claim(): boolean {
      if (path === ':memory:' || holder) return true
      const db = new Database(`${path}.serving`, { create: true })
      try {
        db.run('PRAGMA locking_mode = EXCLUSIVE')
        db.run('BEGIN EXCLUSIVE')
        holder = db
        return true
      } catch (error) {
        db.close()
        if (error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')) return false
        throw error
      }
    },
    release(): void {
      holder?.close()
      holder = undefined
    },
  }
}

/** Whether some process serves from a database at this moment. */
export function isServed(path: string): boolean {
  if (path === ':memory:' || !existsSync(`${path}.serving`)) return false
  const claim = createClaim(path)
  try {
    return !claim.claim()
  } finally {
    claim.release()
  }
}
