import { StoreError } from '../ports/store-error.ts'
import { newestVersion } from './list.ts'

/** Throws `StoreError` when a database is of a newer version than this program knows. */
export function checkVersion(version: number, place: string): void {
  if (version <= newestVersion) return
  throw new StoreError(
    `The database ${place} was written by a newer version of this program (it is at version ` +
      `${version}, this program knows ${newestVersion}). Start the newer program, or restore ` +
      'a backup that was made before the update.',
  )
}
