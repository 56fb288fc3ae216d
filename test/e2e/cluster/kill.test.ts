import { expect, test } from 'bun:test'
import { describeClusterReport } from '../../torture/cluster/report.ts'
import { clusterTorture } from '../../torture/cluster/run.ts'
import { describeCluster } from './describe-cluster.ts'

// Nodes and their database are killed while they answer. `bun run torture:cluster` does the same
// for longer.

const kills = 5
/** What a client is told while the database is away. */
const clearly = /The gateway could not (store this request|read its database)\. Try again\./

describeCluster('three nodes behind nginx', () => {
  test('nodes killed, PostgreSQL cut off: what was received whole is charged once, the rest is told', async () => {
    const seed = 1 + (Date.now() % 1_000_000)
    const report = await clusterTorture({ seed, kills })
    console.log(describeClusterReport(report).join('\n'))
    expect(report.faults).toEqual([])
    expect([report.kills, report.cuts]).toEqual([kills, 2])
    expect(report.received.length).toBeGreaterThan(kills * 20)
    expect(report.interrupted).toBeGreaterThan(0)
    expect(report.whileAway).toHaveLength(16)
    for (const { status, text, afterMs } of report.whileAway) {
      // What a lease covers is served: its charge waits in the spool.
      if (status !== 200) expect([status, text]).toEqual([500, expect.stringMatching(clearly)])
      expect(afterMs).toBeLessThan(15_000)
    }
  }, 150_000)
})
