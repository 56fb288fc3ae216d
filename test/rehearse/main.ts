import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createTempDir } from '../support/temp-dir.ts'
import { clusterFaults } from './cluster/faults/list.ts'
import { rehearseCluster } from './cluster/rehearse.ts'
import { allFaults } from './faults/single.ts'
import { rehearseSqlite } from './rehearse.ts'
import { describeReport } from './report.ts'

// bun run rehearse: faults drawn by chance, for as long as one likes. The folder of a run that found
// something stays.

const usage = `Usage: bun run rehearse [--minutes M] [--seed S] [--fault N] [--only NAME,NAME]
                        [--clients N] [--longest S] [--old PATH] [--nodes N] [--workers N]
                        [--list]
Starts the compiled program on SQLite, lets clients of all protocols ask it, and draws faults by the
seed, singly and in pairs, for M minutes (10): kills, frozen processes, full disks, clock jumps, odd
upstreams, large bodies. After each fault every node must be ready within 10 s, and its books must be
those that clients and upstreams would have kept: what was received whole is charged once, and all else
costs no more than was billed.

  --nodes N      N nodes on PostgreSQL with a synchronous standby and Valkey, behind HAProxy
  --workers N    nodes are groups of a starter, a keeper and N workers, which are killed and frozen singly
  --fault N      begins with fault N of the seed's list, and ends after it
  --only A,B     only these faults; --list prints all names
  --longest S    how long a process stays frozen at most, in seconds (90)
  --old PATH     an older program, for downgrades and upgrades
TOLLGATE_BINARY names another program than dist/tollgate. Exit code 1: something was found.`

const { values } = parseArgs({
  options: {
    ...{ minutes: { type: 'string' }, seed: { type: 'string' }, fault: { type: 'string' } },
    ...{ clients: { type: 'string' }, longest: { type: 'string' }, only: { type: 'string' } },
    ...{
      old: { type: 'string' },
      nodes: { type: 'string' },
      workers: { type: 'string' },
      list: { type: 'boolean' },
    },
    help: { type: 'boolean', short: 'h' },
  },
})

function fail(problem: string): never {
  console.error(`${problem}\n${usage}`)
  process.exit(2)
}

/** A number above 0; undefined when it was not given. */
function above0(
  name: 'minutes' | 'seed' | 'fault' | 'clients' | 'longest' | 'nodes' | 'workers',
): number | undefined {
  const text = values[name]
  if (text === undefined) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text)
  return fail(`--${name} is ${JSON.stringify(text)}, but it is a number above 0.`)
}

if (values.help) {
  console.log(usage)
  process.exit(0)
}
const nodes = above0('nodes') ?? 1
const faults: readonly { readonly name: string }[] = nodes > 1 ? clusterFaults : allFaults
if (values.list) {
  for (const { name } of faults) console.log(name)
  process.exit(0)
}
const only = values.only?.split(',')
const unknown = only?.filter((name) => !faults.some((fault) => fault.name === name)) ?? []
if (unknown.length > 0) fail(`--only names no fault: ${unknown.join(', ')}. See --list.`)

// What it has started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const folder = createTempDir('tollgate-rehearse')
const seed = above0('seed') ?? 1 + (Date.now() % 1_000_000)
const fault = above0('fault')
console.log(`Seed ${seed}, in ${folder.path}`)
/** Which faults are drawn depends on these too. */
const words = (['only', 'longest', 'old', 'clients', 'workers'] as const)
  .flatMap((name) => (values[name] === undefined ? [] : [` --${name} '${values[name]}'`]))
  .join('')
const stopping = new AbortController()
process.once('SIGINT', () => {
  console.log('It ends after this fault; once more, and it ends at once.')
  stopping.abort()
})
process.once('SIGTERM', () => process.exit(1))
const options = {
  ...{ folder: folder.path, seed, from: fault ?? 1, most: fault && 1 },
  ...{ minutes: above0('minutes') ?? 10, clients: above0('clients') ?? 24 },
  ...{
    longestS: above0('longest') ?? 90,
    workers: above0('workers'),
    old: values.old && resolve(values.old),
    only,
  },
  say: (line: string) => console.log(line),
  signal: stopping.signal,
  words,
}
const report = await (nodes > 1 ? rehearseCluster({ ...options, nodes }) : rehearseSqlite(options))
for (const line of describeReport(report)) console.log(line)
if (report.findings.length === 0) folder.remove()
else console.log(`The logs are in ${folder.path}.`)
process.exit(report.findings.length === 0 ? 0 : 1)
