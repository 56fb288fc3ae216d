import { accessSync, constants, mkdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { failureCode } from '../../lib/failure.ts'
import { lockFolder } from '../../lib/folder-lock.ts'
import { UserError } from '../user-error.ts'

/** A folder beside a program, where a new one is made ready; one process alone has it. */
export interface Workshop {
  readonly folder: string
  /** Removes it with all that is in it. Harmless when repeated. */
  close(): void
}

/** Opens it, without what a killed process has left there. Throws a `UserError` where nothing can be replaced. */
export function openWorkshop(program: string): Workshop {
  const place = dirname(program)
  const folder = join(place, `.${basename(program)}.upgrade`)
  const lock = requireWritable(program, () => {
    accessSync(place, constants.W_OK)
    return lockFolder(place)
  })
  if (lock === undefined)
    throw new UserError(
      `Another upgrade of a program in ${place} is under way: wait for its end. Nothing was changed.`,
    )
  let isOpen = true
  const close = () => {
    if (isOpen) rmSync(folder, { recursive: true, force: true })
    if (isOpen) lock.release()
    isOpen = false
  }
  try {
    requireWritable(program, () => {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { mode: 0o700 })
    })
  } catch (error) {
    close()
    throw error
  }
  return { folder, close }
}

const refused: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS'])

/** Runs work on the place of a program; explains why it can't be replaced there. */
export function requireWritable<Result>(program: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    const code = failureCode(cause)
    if (!refused.has(code)) throw cause
    throw new UserError(
      `${program} can't be replaced (${code}): it is not changed. Run this as the user who may write to ` +
        `${dirname(program)} (sudo), or put the new program there as you did this one.`,
      { cause },
    )
  }
}
