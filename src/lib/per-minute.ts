import type { Clock } from './clock.ts'

const minuteMs = 60_000
/** Looks that come sooner after another tell nothing new. */
const leastMs = 1_000

/**
 * Tells by how much a count that only grows has grown in the last minute, as far as it was looked at:
 * ask every few seconds. `tick` is monotonic, in milliseconds.
 */
export function createPerMinute(count: () => number, tick: Clock): () => number {
  const looks = [{ at: tick(), count: count() }]
  return () => {
    const now = tick()
    const counted = count()
    if (now - (looks.at(-1)?.at ?? 0) >= leastMs) looks.push({ at: now, count: counted })
    // The first that stays is a minute old, or older where nobody has looked since.
    while ((looks[1]?.at ?? now) <= now - minuteMs) looks.shift()
    return counted - (looks[0]?.count ?? counted)
  }
}
