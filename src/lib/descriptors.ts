import { closeSync, openSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'

/**
 * How many files this process may have open, connections among them; undefined where the system does
 * not tell. The runtime has raised it as far as it may by the time that anything of ours runs.
 */
export function descriptorLimit(): number | undefined {
  known ??= readLimit()
  return known
}

/** It is not raised any more, and can't be read when it is reached. */
let known: number | undefined

function readLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch (error) {
    return isShortage(error) ? 0 : undefined // so low that not even this file could be opened
  }
}

/** Whether so many more files could be opened now. It opens them, which takes some microseconds each. */
export function hasSpareDescriptors(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'))
    return true
  } catch (error) {
    return !isShortage(error)
  } finally {
    for (const one of opened) closeSync(one)
  }
}

/**
 * Whether a thread can be begun safely: the runtime (Bun 1.4) ends the whole process when a thread's
 * own files can't be opened, and connections are taken meanwhile.
 */
export const hasDescriptorsForThread = (): boolean =>
  hasSpareDescriptors(Math.min(mostForThread, Math.floor((descriptorLimit() ?? 0) / 4)))

const mostForThread = 256

/** What is told where there are not. */
export const tooFewDescriptors = 'Too few file descriptors are left at present.'

/** The way out, for people. */
export const raiseIt =
  'raise the limit: ulimit -n 65536 in a shell, LimitNOFILE=65536 in systemd, --ulimit nofile=65536 for a container'

const isShortage = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')
