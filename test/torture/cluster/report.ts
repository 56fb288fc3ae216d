import { emptyHarvest, type Harvest } from '../clients.ts'
import type { Told } from './while-away.ts'

/** What a run came to; `faults` is empty when every promise was kept. */
export interface ClusterReport extends Harvest {
  readonly seed: number
  /** Of nodes. */
  kills: number
  /** Ends of the database as by a power cut. */
  cuts: number
  charged: number
  interrupted: number
  /** How long it took, after the last request, until nothing was set aside any more. */
  restAfterMs: number
  /** What clients were told while the database was away. */
  readonly whileAway: Told[]
  readonly faults: string[]
}

export const emptyClusterReport = (seed: number): ClusterReport => ({
  ...emptyHarvest(),
  ...{ seed, kills: 0, cuts: 0, charged: 0, interrupted: 0, restAfterMs: 0 },
  ...{ whileAway: [], faults: [] },
})

/** A report in lines for a person. */
export function describeClusterReport(report: ClusterReport): string[] {
  const { kills, cuts, seed, asked, received, told, brokenOff, whileAway } = report
  const refused = [...report.refused].toSorted(([a], [b]) => a - b)
  const statuses = refused.map(([status, count]) => `${count} with ${status}`).join(', ')
  const slowest = Math.max(0, ...whileAway.map(({ afterMs }) => afterMs))
  return [
    `${kills} nodes killed, PostgreSQL cut off ${cuts} times (seed ${seed})`,
    `${asked} asked: ${received.length} received whole, ${told} streams ended with an error, ` +
      `${brokenOff} broken off, refused: ${statuses || 'none'}`,
    `${report.charged} charged, ${report.interrupted} recorded as interrupted; nothing set aside ` +
      `${(report.restAfterMs / 1000).toFixed(1)} s after the last request`,
    `${whileAway.length} asked while the database was away, the slowest told after ${(slowest / 1000).toFixed(1)} s`,
    ...(report.faults.length === 0 ? ['Nothing wrong.'] : report.faults),
  ]
}
