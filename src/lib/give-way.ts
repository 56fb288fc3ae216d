import { dlopen } from 'bun:ffi'
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

/** The least of all: what wants the same processor goes before. */
const lowestPriority = 19
/** `SCHED_IDLE` of sched(7): runs where nothing else would, and ends its turn at once for what would. */
const idlePolicy = 5
/** Under these names glibc and musl are found. */
const libraries = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]

/** Lets this process give way to all others, with all threads that it makes later. */
export function giveWay(): void {
  try {
    setPriority(lowestPriority)
    if (process.platform !== 'linux') return
    const threads = readdirSync('/proc/self/task').map(Number)
    for (const thread of threads) lower(thread)
    // One of the lowest priority still keeps others waiting to the end of its turn.
    for (const library of libraries) if (becomeIdle(library, threads)) return
  } catch {
    // Where that is forbidden, or there is no /proc, it works as others do.
  }
}

function lower(thread: number): void {
  try {
    setPriority(thread, lowestPriority)
  } catch {
    // It has just ended.
  }
}

let yieldProcessor = () => {}

/**
 * Ends this turn of a process that gives way; to be called between small pieces of work. Linux (6.6
 * and later) may let others wait 4 ms for its end.
 */
export const giveTurn = (): void => yieldProcessor()

/** False: there is no such library, or the system forbids it. */
function becomeIdle(library: string, threads: readonly number[]): boolean {
  try {
    const { symbols } = dlopen(library, {
      sched_setscheduler: { args: ['i32', 'i32', 'ptr'], returns: 'i32' },
      sched_yield: { args: [], returns: 'i32' },
    })
    yieldProcessor = () => void symbols.sched_yield()
    const priority = new Int32Array([0])
    const results = threads.map((thread) =>
      symbols.sched_setscheduler(thread, idlePolicy, priority),
    )
    return results.some((result) => result === 0)
  } catch {
    return false
  }
}
