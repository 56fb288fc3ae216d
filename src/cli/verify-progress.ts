import type { Progress as Part } from '../app/verify/verify.ts'
import type { Clock } from '../lib/clock.ts'
import { grouped } from '../lib/format.ts'
import type { Progress } from './progress.ts'

/** Says how far a verification is; `tick` is monotonic, in milliseconds. */
export function createPartProgress(line: Progress, tick: Clock): (part: Part) => void {
  let name = ''
  let startedTick = 0
  return (part) => {
    const now = tick()
    if (part.part !== name) {
      name = part.part
      startedTick = now
    }
    line.show(describePart(part, now - startedTick))
  }
}

/** Before this, a rate says nothing. */
const settledMs = 200

/** `requests: 340,000 of 1,000,000, 85,000/s, 8 s left`. */
export function describePart({ part, done, total }: Part, elapsedMs: number): string {
  if (total <= 0) return part
  const head = `${part}: ${grouped(Math.min(done, total))} of ${grouped(total)}`
  if (done === 0 || elapsedMs < settledMs) return head
  const perSecond = (done / elapsedMs) * 1000
  const leftSeconds = Math.max(0, total - done) / perSecond
  return `${head}, ${grouped(Math.round(perSecond))}/s, ${shortTime(leftSeconds)} left`
}

function shortTime(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  return `${grouped(Math.ceil(seconds / 60))} min`
}
