import { parseArgs } from 'node:util'
import { createTempDir } from '../support/temp-dir.ts'
import { describeSoak } from './soak/report.ts'
import { soak } from './soak/run.ts'

// bun run soak: a long time with faults, disconnects and changes. The folder of a run that went wrong
// stays.

const usage = `Usage: bun run soak [--minutes M] [--clients N] [--seed N]
Lets N clients (32) ask the compiled program for M minutes (30) while upstreams fail, clients leave
and the configuration changes, all by chance; tells every minute how it is, and at the end whether
anything is left over or was lost: memory, descriptors, reservations, charges. TOLLGATE_BINARY names
another program than dist/tollgate.`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    clients: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

/** A number above 0; undefined when it was not given. */
function above0(name: 'minutes' | 'clients' | 'seed'): number | undefined {
  const text = values[name]
  if (text === undefined) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text)
  console.error(`--${name} is ${JSON.stringify(text)}, but it is a number above 0.\n${usage}`)
  process.exit(2)
}

if (values.help) {
  console.log(usage)
  process.exit(0)
}
const folder = createTempDir('tollgate-soak')
const seed = above0('seed') ?? 1 + (Date.now() % 1_000_000)
console.log(`Seed ${seed}, in ${folder.path}`)
const report = await soak({
  folder: folder.path,
  minutes: above0('minutes') ?? 30,
  clients: above0('clients') ?? 32,
  seed,
  everyMs: 60_000,
  say: (line) => console.log(line),
})
for (const line of describeSoak(report)) console.log(line)
if (report.faults.length === 0) folder.remove()
else console.log(`The database is in ${folder.path}.`)
process.exit(report.faults.length === 0 ? 0 : 1)
