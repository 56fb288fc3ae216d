import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { newestVersion } from '../migrations/list.ts'
import { versionOf } from './header.ts'

const ending = '.before-v'

/** Where a database is copied to before it is upgraded to the newest version. */
export const copyPath = (database: string): string => `${database}${ending}${newestVersion}`

/** All such copies beside a database, of whichever version. */
export function copiesOf(database: string): readonly string[] {
  const folder = dirname(database)
  const beginning = `${basename(database)}${ending}`
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith(beginning) && /^\d+$/.test(name.slice(beginning.length)))
    .map((name) => join(folder, name))
}

/** A copy that this program can take in place of a database that is newer; undefined: there is none. */
export const usableCopy = (database: string): string | undefined =>
  copiesOf(database).find((copy) => (versionOf(copy) ?? newestVersion + 1) <= newestVersion)
