/** Milliseconds since 1970 (UTC). Passed in, so that tests hold it still. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** A UTC day, in milliseconds: it has no hour more or less. */
export const dayMs = 86_400_000

let lastDay = Number.NaN
let lastName = ''

/** The UTC day of a time, `2026-11-21`. Asked for each request: the last answer is remembered. */
export function utcDay(timeMs: number): string {
  const day = Math.floor(timeMs / dayMs)
  if (day !== lastDay) {
    lastDay = day
    lastName = new Date(timeMs).toISOString().slice(0, 10)
  }
  return lastName
}
