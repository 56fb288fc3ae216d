import { createTempDir } from '../support/temp-dir.ts'
import { readOptions } from './read-options.ts'
import { describeReport } from './report.ts'
import { torture } from './torture.ts'

// bun run torture: the kill test, for as long as one likes. The folder of a run that went wrong stays.

const usage = `Usage: bun run torture [--kills N] [--seconds S] [--seed N]
Kills the compiled program N times under load (200, or without end when only --seconds is given)
and looks after each time whether its books are right. TOLLGATE_BINARY names another program than
dist/tollgate.`

const { seconds, kills, seed } = readOptions(usage, 200)
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
