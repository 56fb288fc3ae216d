import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Where the code of a compiled program lives, on Unix and on Windows. */
const compiled = /^(\/\$bunfs\/|B:[\\/]~BUN[\\/])/

/** Whether this is the compiled program. */
export const isCompiled = compiled.test(import.meta.dir)

/** On Linux: what runs here, whatever lies at its path by now. */
const runningFile = '/proc/self/exe'

/**
 * The command that starts this program once more: a compiled one finds its own code. Of this version
 * also when its file has been replaced, as for an upgrade that waits for a restart.
 */
export const ownProgram = (): readonly string[] =>
  isCompiled
    ? [isReplaced() ? runningFile : process.execPath]
    : [process.execPath, join(import.meta.dir, '../../main.ts')]

function isReplaced(): boolean {
  if (process.platform !== 'linux') return false
  const placeOf = (file: string) => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found && `${found.dev} ${found.ino}`
  }
  const running = placeOf(runningFile)
  return running !== undefined && running !== placeOf(process.execPath)
}
