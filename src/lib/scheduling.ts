import { ptr } from 'bun:ffi'
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { openSystemLibrary } from './system-library.ts'

/** The lowest nice value. */
const lowestPriority = 19
/** `SCHED_IDLE` of sched(7): runs only on an idle processor, and is preempted at once. */
const idlePolicy = 5

/**
 * Gives this process the lowest priority, including threads that start later: for work on a whole database beside a
 * gateway. Under full load it still gets some time, for what it reads keeps the journal from being emptied.
 */
export function yieldToOthers(): void {
  try {
    setPriority(lowestPriority)
    // On Linux each thread has a priority of its own.
    if (process.platform === 'linux') for (const thread of ownThreads()) lower(thread)
  } catch {
    // Without permission or /proc the priority stays normal.
  }
}

/** As `yieldToOthers`; and this process runs only on processors that nothing else wants. */
export function runWhenIdle(): void {
  yieldToOthers()
  if (process.platform !== 'linux') return
  try {
    // Even at the lowest nice value, a thread keeps others waiting until its time slice ends.
    becomeIdle()
  } catch {
    // Without permission or /proc it stays at the lowest priority.
  }
}

const ownThreads = () => readdirSync('/proc/self/task').map(Number)

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

/** Without permission, or the library, nothing changes. */
function becomeIdle(): void {
  const calls = openSystemLibrary({
    sched_setscheduler: { args: ['i32', 'i32', 'ptr'], returns: 'i32' },
    sched_yield: { args: [], returns: 'i32' },
  })
  if (calls === undefined) return
  yieldNow = () => void calls.sched_yield()
  const priority = new Int32Array([0])
  const makeIdle = (thread: number) => calls.sched_setscheduler(thread, idlePolicy, ptr(priority))
  // This thread first: those that it begins from now on inherit it, such as one that loading a library began.
  makeIdle(0)
  for (const thread of ownThreads()) makeIdle(thread)
}
