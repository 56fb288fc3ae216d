import { parseArgs } from 'node:util'
import { describeCrowd, faultsOf } from './crowd/report.ts'
import { runCrowd } from './crowd/run.ts'

// bun run crowd: more strangers at once than there is memory for.

const usage = `Usage: bun run crowd [--memory MIB] [--streams N] [--bodies N] [--size MB] [--slow N] [--seconds S]
Starts the compiled program in a container of MIB (256) and lets N streams (1000), N bodies (20) of MB
megabytes (60, and as many of a sixth of that) and N clients that read 1 KB a second (500) come at once,
beside small requests of a paying client. Prints whether it lives, its peak, how all were answered and
how long the small ones took, alone and beside them. It needs root, and cgroup v1 or v2.`

const { values } = parseArgs({
  options: {
    memory: { type: 'string', default: '256' },
    streams: { type: 'string', default: '1000' },
    bodies: { type: 'string', default: '20' },
    size: { type: 'string', default: '60' },
    slow: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
    help: { type: 'boolean', short: 'h' },
  },
})
const numbers = Object.entries(values).filter(([name]) => name !== 'help')
const wrong = numbers.find(([, text]) => !/^\d{1,6}$/.test(String(text)))
if (values.help || wrong) {
  if (wrong)
    console.error(`--${wrong[0]} is ${JSON.stringify(wrong[1])}, but it is a whole number.`)
  console.log(usage)
  process.exit(wrong ? 2 : 0)
}
const each = Array.from({ length: Number(values.bodies) }, () => Number(values.size) * 1e6)
const crowd = await runCrowd({
  limitBytes: Number(values.memory) * 1_048_576,
  streams: Number(values.streams),
  bodies: [...each, ...each.map((bytes) => bytes / 6)],
  slowReaders: Number(values.slow),
  aloneMs: 5_000,
  crowdMs: Number(values.seconds) * 1_000,
  say: (line) => console.log(line),
})
if ('why' in crowd) {
  console.log(`skipped: ${crowd.why}`)
  process.exit(0)
}
for (const line of describeCrowd(crowd)) console.log(line)
const faults = faultsOf(crowd)
for (const fault of faults) console.log(`WRONG: ${fault}`)
process.exit(faults.length === 0 ? 0 : 1)
