import type { Clock } from './clock.ts'

/** A look that comes later than this after the one before it: the process did not run, or was starved. */
const lateMs = 250
/** How often whoever waits in running time looks at the clock at least. */
const lookMs = 100

/**
 * The time in which this process has run, for what is measured of others: what they did while it was
 * stopped, suspended or busy it could not hear. To be read at least each 250 ms while it runs. One long
 * gap counts nothing, several in a row 250 ms each: a process that is always starved has limits, too.
 */
export function createRunningClock(clock: Clock): Clock {
  let readAt = clock()
  let runningMs = 0
  let wasLate = false
  return () => {
    const now = clock()
    const gapMs = now - readAt
    readAt = now
    const isLate = gapMs > lateMs
    runningMs += isLate ? (wasLate ? lateMs : 0) : gapMs
    wasLate = isLate
    return runningMs
  }
}

/** As `setTimeout` does it, but by the time in which this process runs; gives what calls it off. */
export function afterRunning(limitMs: number, onOver: () => void): () => void {
  const clock = createRunningClock(() => performance.now())
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    const leftMs = limitMs - clock()
    if (leftMs <= 0) onOver()
    else timer = setTimeout(look, Math.min(leftMs, lookMs))
  }
  look()
  return () => clearTimeout(timer)
}
