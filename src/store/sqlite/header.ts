import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StoreError } from '../ports/store-error.ts'
import { checkVersion, newestVersion } from '../schema/versions.ts'

/** Marks a database file as ours: `TGAT` in ASCII. */
export const applicationId = 0x54474154

const magic = 'SQLite format 3\0'
const headerBytes = 100
/** Offsets in the header (SQLite's own reference, "Database File Format"). */
const versionAt = 60
const ownerAt = 68

/**
 * Reads the first bytes of a file; throws `StoreError` when it is no database of ours, or one of a
 * newer version: known before hours are spent on it, and without touching it.
 */
export function checkHeader(path: string): void {
  const header = readHeader(path)
  if (header.subarray(0, magic.length).toString('latin1') !== magic) {
    throw new StoreError(
      `${path} is no SQLite database, so no backup. Give the path of a file that "tollgate backup" ` +
        'has made.',
    )
  }
  if (header.readUInt32BE(ownerAt) !== applicationId) {
    throw new StoreError(
      `${path} is a database of another program. Give the path of a file that "tollgate backup" ` +
        'has made.',
    )
  }
  checkVersion(header.readUInt32BE(versionAt), path)
}

/** The version of a file that is a database of ours and no one works on; undefined when it is none. */
function versionOf(path: string): number | undefined {
  const header = readHeader(path)
  const isOurs = header.readUInt32BE(ownerAt) === applicationId
  return isOurs ? header.readUInt32BE(versionAt) : undefined
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, headerBytes, 0)
  } finally {
    closeSync(file)
  }
  return header
}

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
