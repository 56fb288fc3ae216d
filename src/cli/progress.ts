import type { Progress as Part } from '../app/verify/verify.ts'
import type { Clock } from '../lib/clock.ts'
import { grouped } from '../lib/format.ts'
import { print, printInPlace } from './terminal.ts'

const terminalMs = 200
const logMs = 10_000

/** Shows progress on stderr. */
export interface Progress {
  show(text: string): void
  done(): void
}

/** A progress line: overwritten on a terminal, else printed at intervals. */
export function createProgress(stderr: NodeJS.WriteStream = process.stderr): Progress {
  const everyMs = stderr.isTTY ? terminalMs : logMs
  let shownAt = stderr.isTTY ? Number.NEGATIVE_INFINITY : performance.now()
  return {
    show(text) {
      if (performance.now() - shownAt < everyMs) return
      shownAt = performance.now()
      if (stderr.isTTY) printInPlace(`${text} …`, stderr)
      else print(`tollgate: ${text} …\n`, stderr)
    },
    done() {
      if (stderr.isTTY) printInPlace('', stderr)
    },
  }
}

/** Shows the progress of a verification; `tick` is monotonic, in milliseconds. */
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
