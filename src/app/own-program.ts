import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Where the code of a compiled program is, on Unix and on Windows. */
const compiled = /^(\/\$bunfs\/|B:[\\/]~BUN[\\/])/

export const isCompiled = compiled.test(import.meta.dir)

/** On Linux: the running file, even when another one has replaced it. */
const runningFile = '/proc/self/exe'

/** The command that starts this program again, in this version even if its file was replaced. */
export const ownProgram = (): readonly string[] =>
  isCompiled
    ? [isReplaced() ? runningFile : process.execPath]
    : [process.execPath, join(import.meta.dir, '../main.ts')]

/** Whether another file is in the place of the running one. */
export function isReplaced(): boolean {
  if (process.platform !== 'linux') return false
  const placeOf = (file: string) => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found && `${found.dev} ${found.ino}`
  }
  const running = placeOf(runningFile)
  return running !== undefined && running !== placeOf(process.execPath)
}
