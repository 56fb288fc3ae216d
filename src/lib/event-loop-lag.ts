import type { Clock } from './clock.ts'
import type { Repeat } from './repeat.ts'

/** How late this process comes to its work. */
export interface LagMeter {
  /** The longest delay of the last minute, in milliseconds. */
  longestMs(): number
  stop(): void
}

const everyMs = 1_000
const samples = 60

/** Measures from now on, by how late a timer fires. `tick` is monotonic, in milliseconds. */
export function createLagMeter(tick: Clock, repeat: Repeat): LagMeter {
  const lagsMs = new Array<number>(samples).fill(0)
  let count = 0
  let lastTick = tick()
  const stop = repeat(() => {
    const now = tick()
    lagsMs[count++ % samples] = Math.max(0, now - lastTick - everyMs)
    lastTick = now
  }, everyMs)
  return { longestMs: () => Math.max(...lagsMs), stop }
}
