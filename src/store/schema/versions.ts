import { version as programVersion } from '../../../package.json'
import { StoreError } from '../ports/store-error.ts'

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
 * While a cluster is updated, nodes of the former version go on with the new schema. So a step adds
 * and leaves what their statements name: columns that may be left out, tables, functions of another
 * name, or of the same that serve both alike. What nobody names any more is removed by a step of the
 * next version. What is kept beside other rows and follows from them must not need what the former
 * version does not write. A step over many rows keeps all who write waiting: an index is made before,
 * or the rows are filled in later.
 */
export const migrations: readonly Migration[] = []

export const newestVersion = firstVersion + migrations.length

/** The steps that a database of a version still needs. */
export const stepsFrom = (version: number): readonly Migration[] =>
  migrations.slice(Math.max(version - firstVersion, 0))

/** The version of this program, which is noted in the databases that it makes. */
export { programVersion }

/** What is known of a database that a newer program has written. */
interface Newer {
  /** The version of that program; undefined: the database does not say it. */
  readonly program?: string | undefined
  /** Path of a copy that this program can take. */
  readonly copy?: string | undefined
}

/** Throws `StoreError` when a database is of a newer version than this program knows. */
export function checkVersion(version: number, place: string, more?: () => Newer): void {
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
      `(${cause instanceof Error ? cause.message : String(cause)}). It was left as it was, and the ` +
      'former program can go on with it. Please report this.',
    { cause },
  )
