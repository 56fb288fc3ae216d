import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { UserError } from '../user-error.ts'

// Nothing waits in here: a signal comes before all of it, or after.

const keptEnding = '.previous'

/** Where the program is kept that was there before. */
export const previousOf = (program: string): string => `${program}${keptEnding}`

/** Throws a `UserError` for a program that is kept: replacing it would leave no way back. */
export function requireInUse(program: string): void {
  if (!program.endsWith(keptEnding)) return
  const current = program.slice(0, -keptEnding.length)
  throw new UserError(
    `${program} is the program that was kept, and stays as it is. To upgrade: ${current} upgrade. To go back ` +
      `to the kept one: ${current} upgrade --back; if that does not run: mv ${program} ${current}`,
  )
}

/**
 * Puts a program into the place of another one, which is kept. Killed at any moment, one of the two is there, and
 * whole. `folder`: for what is under way, on the same disk.
 */
export function replaceProgram(program: string, made: string, folder: string): void {
  takeOver(program, made)
  const kept = join(folder, 'kept')
  giveSecondName(program, kept)
  renameSync(kept, previousOf(program))
  renameSync(made, program)
  syncPath(dirname(program))
}

/** Exchanges a program and the one that was kept. */
export function swapPrograms(program: string, folder: string): void {
  const [kept, former] = [join(folder, 'kept'), join(folder, 'former')]
  giveSecondName(previousOf(program), former)
  takeOver(program, former)
  giveSecondName(program, kept)
  renameSync(former, program)
  renameSync(kept, previousOf(program))
  syncPath(dirname(program))
}

/** The new one gets owner and rights of the old one, and is on the disk before it gets the name. */
function takeOver(program: string, made: string): void {
  const { mode, uid, gid } = statSync(program)
  const own = statSync(made)
  if (own.uid !== uid || own.gid !== gid) chownSync(made, uid, gid)
  chmodSync(made, mode & 0o7777)
  syncPath(made)
}

/** Some file systems have no hard links. */
function giveSecondName(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch {
    copyFileSync(file, name)
    syncPath(name)
  }
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
