import { existsSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UserError } from '../instance.ts'
import { explainWriting } from './space.ts'

/** Throws when there is no database that could be copied. */
export function requireDatabase(database: string): void {
  if (database === ':memory:')
    throw new UserError('The configured database is in memory only: there is nothing to back up.')
  if (!existsSync(database))
    throw new UserError(
      `There is no database ${database}. If it lies elsewhere, name its configuration with --config.`,
    )
}

/** What belongs to a database, by the endings of the names. */
const companions = ['', '-wal', '-shm', '-journal', '.secret', '.serving']

/** Throws when a copy must not or can't be put at a path. */
export function requireTarget(database: string, file: string, force: boolean): void {
  const own = companions.map((ending) => `${database}${ending}`)
  if (own.some((path) => isSameFile(path, file)))
    throw new UserError(
      `${file} belongs to the live database ${database}: a backup there would destroy it. Give ` +
        'another path.',
    )
  const found = lookAt(file)
  if (found?.isFile() === false)
    throw new UserError(`${file} is not a file. Give the path of the file to be made.`)
  if (found && !force) throw alreadyThere(file)
}

/** What is at the path; undefined when nothing is. */
function lookAt(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw explainWriting(error, dirname(file), 0)
  }
}

/** Nothing is written over without being told to. */
export const alreadyThere = (file: string) =>
  new UserError(
    `${file} is there already and was left as it is. Give another path, or --force to replace it.`,
  )

function isSameFile(a: string, b: string): boolean {
  if (resolve(a) === b) return true
  const [one, other] = [a, b].map(lookAt)
  return one !== undefined && one.ino !== 0 && one.ino === other?.ino && one.dev === other.dev
}
