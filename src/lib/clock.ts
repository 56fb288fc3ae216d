/** Milliseconds since 1970 (UTC). Injected, so that tests control it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** A UTC day in milliseconds; UTC has no daylight saving time. */
export const dayMs = 86_400_000

let lastDay = Number.NaN
let lastName = ''

/** The UTC day of a time, `2026-11-21`. Called for each request: the last result is cached. */
export function utcDay(timeMs: number): string {
  const day = Math.floor(timeMs / dayMs)
  if (day !== lastDay) {
    lastDay = day
    lastName = new Date(timeMs).toISOString().slice(0, 10)
  }
  return lastName
}

/** Runs a task periodically; the result stops it. Injected, so that tests need no timers. */
export type Repeat = (task: () => void, everyMs: number) => () => void

/** Uses a timer that does not keep the process alive. */
export const repeatByTimer: Repeat = (task, everyMs) => {
  const timer = setInterval(task, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Milliseconds since 1970 of an ISO 8601 date-time with its offset: `2027-01-31T12:00:00Z`. */
export function parseDateTime(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.exec(text)
  const ms = match ? Date.parse(text) : Number.NaN
  // Date.parse may turn 30 February into March.
  const rolled = match && new Date(`${match[1]}T00:00:00Z`).getUTCDate() !== Number(match[2])
  return Number.isNaN(ms) || rolled ? undefined : ms
}

/** The same, also for a date alone: midnight UTC. */
export const parseDateOrTime = (text: string): number | undefined =>
  parseDateTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)

/** A tick with a gap longer than this: the process was suspended or starved. */
const lateMs = 250
/** Longest interval between clock checks while waiting. */
const lookMs = 100

/**
 * The time for which this process has run, for timeouts; read it at least every 250 ms. A long gap counts as
 * nothing, further ones as 250 ms each.
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

/** Like `setTimeout`, but in the running time of this process; the result cancels it. */
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

/** The result, or undefined after this long, in the running time of this process. */
export async function withinRunning<Result>(
  limitMs: number,
  pending: Promise<Result>,
): Promise<Result | undefined> {
  const late = Promise.withResolvers<undefined>()
  const callOff = afterRunning(limitMs, () => late.resolve(undefined))
  return await Promise.race([pending, late.promise]).finally(callOff)
}
