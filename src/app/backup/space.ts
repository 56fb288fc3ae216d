import { statfs } from 'node:fs/promises'
import { humanBytes } from '../../lib/format.ts'
import { UserError } from '../instance.ts'

/** The system's word for what failed: `ENOENT`, `SQLITE_FULL` …; undefined when it has none. */
export function failureCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error) return String(error.code)
  return failureCode(error.cause)
}

const isFull = (error: unknown) =>
  ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(failureCode(error) ?? '')

/** Throws when a folder has less room than is needed: known before the work begins. */
export async function requireRoom(folder: string, neededBytes: number): Promise<void> {
  const freeBytes = await freeIn(folder)
  if (freeBytes !== undefined && freeBytes < neededBytes)
    throw noRoom(folder, neededBytes, freeBytes)
}

/** Bytes that are free for this user; undefined where the system does not say. */
export async function freeIn(folder: string): Promise<number | undefined> {
  const { bavail, bsize, blocks } = await statfs(folder)
  return blocks === 0 ? undefined : bavail * bsize
}

function noRoom(folder: string, neededBytes: number, freeBytes?: number): UserError {
  const free = freeBytes === undefined ? '' : `, and ${humanBytes(freeBytes)} are free`
  return new UserError(
    `There is no room in ${folder}: ${humanBytes(neededBytes)} are needed${free}. Nothing was ` +
      'left there. Make room, or give a path on another disk.',
  )
}

/** What a person can do about a file that could not be made in a folder. */
export function explainWriting(error: unknown, folder: string, neededBytes: number): unknown {
  if (isFull(error)) return noRoom(folder, neededBytes)
  const code = failureCode(error)
  if (code === 'EFBIG' || code?.startsWith('SQLITE_IOERR_WRITE'))
    return new UserError(
      `The copy in ${folder} can't be written (${code}): ${humanBytes(neededBytes)} are needed. ` +
        'Nothing was left there. Check the disk, and limits on the size of files (ulimit -f).',
      { cause: error },
    )
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new UserError(
      `There is no folder ${folder}. Make it first (mkdir -p), or give another path.`,
      { cause: error },
    )
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new UserError(
      `The folder ${folder} is not writable for this user (${code}). Change its owner or its ` +
        'permissions, or give another path.',
      { cause: error },
    )
  return error
}
