import { dlopen } from 'bun:ffi'
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

/** The lowest nice value. */
const lowestPriority = 19
/** `SCHED_IDLE` of sched(7): runs only on an idle processor, and is preempted at once. */
const idlePolicy = 5
/** Names of glibc and musl. */
const libraries = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]

/** Lowers this process's scheduling priority, including threads that start later. */
export function lowerPriority(): void {
  try {
    setPriority(lowestPriority)
    if (process.platform !== 'linux') return
    const threads = readdirSync('/proc/self/task').map(Number)
    for (const thread of threads) lower(thread)
    // Even at the lowest nice value, a thread keeps others waiting until its time slice ends.
    for (const library of libraries) if (becomeIdle(library, threads)) return
  } catch {
    // Without permission or /proc the priority stays normal.
  }
}

function lower(thread: number): void {
  try {
    setPriority(thread, lowestPriority)
  } catch {
    // The thread has just ended.
  }
}

let yieldNow = () => {}

/**
 * Yields the processor; to be called between small pieces of work. Linux (6.6 and later) may otherwise let other
 * processes wait 4 ms.
 */
export const yieldProcessor = (): void => yieldNow()

/** False: the library is missing, or the system forbids it. */
function becomeIdle(library: string, threads: readonly number[]): boolean {
  try {
    const { symbols } = dlopen(library, {
      sched_setscheduler: { args: ['i32', 'i32', 'ptr'], returns: 'i32' },
      sched_yield: { args: [], returns: 'i32' },
    })
    yieldNow = () => void symbols.sched_yield()
    const priority = new Int32Array([0])
    const results = threads.map((thread) =>
      symbols.sched_setscheduler(thread, idlePolicy, priority),
    )
    return results.some((result) => result === 0)
  } catch {
    return false
  }
}
