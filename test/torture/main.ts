import { parseArgs } from 'node:util'
import { createTempDir } from '../support/temp-dir.ts'
import { describeReport } from './report.ts'
import { torture } from './torture.ts'

// bun run torture: the kill test, for as long as one likes. The folder of a run that went wrong stays.

const usage = `Usage: bun run torture [--kills N] [--seconds S] [--seed N]
Kills the compiled program N times under load (200, or without end when only --seconds is given)
and looks after each time whether its books are right. TOLLGATE_BINARY names another program than
dist/tollgate.`

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
const kills = count('kills') ?? (seconds === undefined ? 200 : Number.POSITIVE_INFINITY)
const seed = count('seed') ?? 1 + (Date.now() % 1_000_000)
const folder = createTempDir('tollgate-torture')
console.log(`Seed ${seed}, in ${folder.path}`)
let shown = 0
const report = await torture({
  folder: folder.path,
  kills,
  seed,
  seconds,
  onRound({ kills: killed, received, faults }) {
    for (const fault of faults.slice(shown)) console.log(fault)
    shown = faults.length
    if (killed % 10 === 0) console.log(`${killed} kills, ${received.length} answers received whole`)
  },
})
for (const line of describeReport(report)) console.log(line)
if (report.faults.length === 0) folder.remove()
else console.log(`The database is in ${folder.path}.`)
process.exit(report.faults.length === 0 ? 0 : 1)
