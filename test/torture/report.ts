import { emptyHarvest, type Harvest } from './clients.ts'

/** What a torture came to; `faults` is empty when every promise was kept. */
export interface TortureReport extends Harvest {
  readonly seed: number
  /** Under load. */
  kills: number
  /** While it was starting. */
  killedStarts: number
  charged: number
  interrupted: number
  credits: number
  /** From the start of a process to its first answer, in milliseconds. */
  readonly startsMs: number[]
  readonly faults: string[]
}

export const emptyReport = (seed: number): TortureReport => ({
  ...emptyHarvest(),
  seed,
  kills: 0,
  killedStarts: 0,
  charged: 0,
  interrupted: 0,
  credits: 0,
  startsMs: [],
  faults: [],
})

/** A report in lines for a person. */
export function describeReport(report: TortureReport): string[] {
  const { kills, killedStarts, asked, received, told, brokenOff, charged, interrupted } = report
  const starts = report.startsMs.toSorted((a, b) => a - b)
  const start = (part: number) =>
    (starts[Math.min(starts.length - 1, Math.floor(starts.length * part))] ?? 0).toFixed(0)
  const refused = [...report.refused].toSorted(([a], [b]) => a - b)
  const statuses = refused.map(([status, count]) => `${count} with ${status}`).join(', ')
  return [
    `${kills} kills under load and ${killedStarts} while starting (seed ${report.seed})`,
    `${asked} asked: ${received.length} received whole, ${told} streams ended with an error, ` +
      `${brokenOff} broken off, refused: ${statuses || 'none'}`,
    `${charged} charged, ${interrupted} recorded as interrupted, ${report.credits} credits`,
    `${starts.length} starts: half within ${start(0.5)} ms, 99 % within ${start(0.99)} ms, ` +
      `the slowest ${start(1)} ms`,
    ...(report.faults.length === 0 ? ['Nothing wrong.'] : report.faults),
  ]
}
