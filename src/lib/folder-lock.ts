import { closeSync, openSync } from 'node:fs'
import { openSystemLibrary } from './system-library.ts'

/** `LOCK_EX | LOCK_NB` of flock(2). */
const exclusiveAtOnce = 6

/**
 * Locks a folder for this process, until it is released or the process ends; nothing is left behind. Undefined:
 * another process has it. Throws when the folder can't be read.
 */
export function lockFolder(folder: string): { release(): void } | undefined {
  const descriptor = openSync(folder, 'r')
  const system = openSystemLibrary({ flock: { args: ['int', 'int'], returns: 'int' } })
  if (system !== undefined && system.flock(descriptor, exclusiveAtOnce) !== 0) {
    closeSync(descriptor)
    return undefined
  }
  return { release: () => closeSync(descriptor) }
}
