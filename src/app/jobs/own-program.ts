import { join } from 'node:path'

/** Where the code of a compiled program lives, on Unix and on Windows. */
const compiled = /^(\/\$bunfs\/|B:[\\/]~BUN[\\/])/

/** The command that starts this program once more: a compiled one finds its own code. */
export const ownProgram = (): readonly string[] =>
  compiled.test(import.meta.dir)
    ? [process.execPath]
    : [process.execPath, join(import.meta.dir, '../../main.ts')]
