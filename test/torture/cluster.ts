import { parseArgs } from 'node:util'
import { describeClusterReport } from './cluster/report.ts'
import { clusterTorture } from './cluster/run.ts'

// The kill test with three nodes on one PostgreSQL, for as long as one likes.

const usage = `Usage: bun run torture:cluster [--kills N] [--seconds S] [--seed N]
Kills nodes and the database under them N times (60, or without end when only --seconds is given)
while clients ask through nginx, and looks at the end whether the books are right. TOLLGATE_BINARY
names another program than dist/tollgate. Needs PostgreSQL, Valkey or Redis, and nginx.`

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

/** A whole number above 0; undefined when it was not given. */
function count(name: 'kills' | 'seconds' | 'seed'): number | undefined {
  const text = values[name]
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  console.error(`--${name} is ${JSON.stringify(text)}, but it is a whole number above 0.\n${usage}`)
  process.exit(2)
}

if (values.help) {
  console.log(usage)
  process.exit(0)
}
const seconds = count('seconds')
const report = await clusterTorture({
  kills: count('kills') ?? (seconds === undefined ? 60 : Number.POSITIVE_INFINITY),
  seconds,
  seed: count('seed') ?? 1 + (Date.now() % 1_000_000),
  say: (line) => console.log(line),
})
for (const line of describeClusterReport(report)) console.log(line)
process.exit(report.faults.length === 0 ? 0 : 1)
