import { describeClusterReport } from './cluster/report.ts'
import { clusterTorture } from './cluster/run.ts'
import { readOptions } from './read-options.ts'

// The kill test with three nodes on one PostgreSQL, for as long as one likes.

const usage = `Usage: bun run torture:cluster [--kills N] [--seconds S] [--seed N]
Kills nodes and the database under them N times (60, or without end when only --seconds is given)
while clients ask through nginx, and looks at the end whether the books are right. TOLLGATE_BINARY
names another program than dist/tollgate. Needs PostgreSQL, Valkey or Redis, and nginx.`

const report = await clusterTorture({
  ...readOptions(usage, 60),
  say: (line) => console.log(line),
})
for (const line of describeClusterReport(report)) console.log(line)
process.exit(report.faults.length === 0 ? 0 : 1)
