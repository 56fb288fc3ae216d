import { version as programVersion } from '../../lib/build-info.ts'
import { messageOf } from '../../lib/failure.ts'
import { StoreError } from '../ports/store-error.ts'
import { leaseTable } from './lease.ts'
import { commitFunctions, laterCommitFunctions } from './postgres-commit.ts'

interface Migration {
  readonly title: string
  /** Absent: a step that PostgreSQL alone needs. */
  readonly sqlite?: string
  /** Absent: a step that SQLite alone needs. */
  readonly postgres?: string
}

/** The version of a database as `sqliteSchema` and `postgresSchema` make it. Former ones are taken over. */
export const firstVersion = 22

/**
 * In order; the first one leads to the version after the first. Only ever appended.
 *
 * During an update nodes of the former version work with the new schema. So a step only adds: optional
 * columns, tables, functions with new names. It removes nothing that their statements name; a step of the
 * next version does. Derived rows must not need what the former version does not write. A step over many
 * rows makes all writers wait: make an index before, or fill rows in later.
 */
export const migrations: readonly Migration[] = [
  {
    title: 'leases of money',
    sqlite: leaseTable('INTEGER', ' STRICT, WITHOUT ROWID'),
    postgres: `${leaseTable('bigint', ' WITH (fillfactor = 50)')};${commitFunctions}`,
  },
  {
    title: 'the key of each attempt, and what failed requests were judged by',
    sqlite:
      'ALTER TABLE request ADD COLUMN state TEXT; ALTER TABLE attempt ADD COLUMN key_mark TEXT',
    postgres: `ALTER TABLE request ADD COLUMN state text COLLATE "C";
      ALTER TABLE attempt ADD COLUMN key_mark text COLLATE "C";${laterCommitFunctions}`,
  },
]

export const newestVersion = firstVersion + migrations.length

/** The steps that a database of a version still needs. */
export const stepsFrom = (version: number): readonly Migration[] =>
  migrations.slice(Math.max(version - firstVersion, 0))

export { programVersion }

/**
 * Throws `StoreError` when a database is of a newer version than this program knows. `more` gives the
 * version of the program that wrote it, and the path of a copy that this one can use.
 */
export function checkVersion(
  version: number,
  place: string,
  more?: () => { readonly program?: string | undefined; readonly copy?: string | undefined },
): void {
  if (version <= newestVersion) return
  const { program, copy } = more?.() ?? {}
  const by = program === undefined ? '' : `, of Tollgate ${program}`
  throw new StoreError(
    `The database ${place} was written by a newer version of this program (it is at version ` +
      `${version}${by}; this program, Tollgate ${programVersion}, knows ${newestVersion}). Start ` +
      'the newer program, or restore a backup that was made before the update' +
      (copy === undefined
        ? '.'
        : `: ${copy} is one. Stop the gateway, move the database away, then: tollgate restore ${copy}`),
  )
}

/** The error for a database of a former version that may not be upgraded here. */
export const tooOld = (version: number, place: string) =>
  new StoreError(
    `The database ${place} is at version ${version}, and this program needs version ` +
      `${newestVersion}. "tollgate serve" upgrades it ("tollgate serve --check" says beforehand ` +
      'what it would do); until then use the commands of the program that wrote it.',
  )

/** A step could not be made: nothing was changed. */
export const notUpgraded = (version: number, place: string, cause: unknown) =>
  new StoreError(
    `The database ${place} could not be upgraded from version ${version} to ${newestVersion} ` +
      `(${messageOf(cause)}). It was left as it was, and the ` +
      'former program can go on with it. Please report this.',
    { cause },
  )
