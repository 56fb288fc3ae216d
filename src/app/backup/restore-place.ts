import { existsSync, statSync } from 'node:fs'
import { checkHeader } from '../../store/sqlite/header.ts'
import { UserError } from '../instance.ts'
import { failureCode } from './space.ts'

/** Throws when anything is where a database is to be. */
export function requireEmpty(database: string): void {
  if (database === ':memory:')
    throw new UserError('The configured database is in memory only: nothing can be restored there.')
  const there = ['', '-wal', '-shm', '-journal']
    .map((ending) => `${database}${ending}`)
    .filter((path) => existsSync(path))
  if (there.length === 0) return
  throw new UserError(
    `There is something in the place of the database, and nothing is overwritten: ` +
      `${there.join(', ')}. Stop the gateway if it runs, then move all of that away ` +
      `(mv ${there.join(' ')} ELSEWHERE/), or name a configuration with another "store:".`,
  )
}

/** Throws when a file can't be a backup of ours; it is not opened for that, and stays as it is. */
export function requireBackup(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new UserError(`There is no file ${file}. Give the path of a backup.`)
  const journal = `${file}-wal`
  if (statSync(journal, { throwIfNoEntry: false })?.size)
    throw new UserError(
      `${file} has a journal beside it (${journal}): it is no backup but a database in use, or one ` +
        'whose gateway was killed. Name it as the "store:" of a configuration and make a backup ' +
        'of it first.',
    )
  try {
    checkHeader(file)
  } catch (cause) {
    if (failureCode(cause) === undefined) throw cause
    throw new UserError(`${file} can't be read (${cause}). Make it readable for this user.`, {
      cause,
    })
  }
}
