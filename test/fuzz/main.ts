import { parseArgs } from 'node:util'
import { type ProtocolName, protocolNames } from '../../src/protocols/protocol.ts'
import { describeRun, faultsOf } from './report.ts'
import { trialNames } from './trial.ts'
import type { Job, Result } from './worker.ts'

// bun run fuzz: whatever comes, in as many ways as one has time for, through the translation.

const usage = `Usage: bun run fuzz [--count N] [--seed N] [--protocol P] [--case TRIAL:N]
Changes recorded requests, streams and answers, N of them for each protocol (1000000), translates
them to and from the three others, and looks whether anything is thrown, hangs, grows or comes out
malformed. Ends with 1, and with the smallest inputs that show it, when something does. --case runs
one case again: a trial (${trialNames.join(', ')}) and the number of a case.`

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    protocol: { type: 'string' },
    case: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

function refuse(words: string): never {
  console.error(`${words}\n${usage}`)
  process.exit(2)
}

function wholeNumber(name: 'count' | 'seed'): number {
  if (/^[1-9]\d{0,8}$/.test(values[name])) return Number(values[name])
  return refuse(`--${name} is ${JSON.stringify(values[name])}, but it is a whole number above 0.`)
}

function protocolsAsked(): readonly ProtocolName[] {
  const { protocol } = values
  if (protocol === undefined) return protocolNames
  const name = protocolNames.find((known) => known === protocol)
  return name === undefined ? refuse(`There is no protocol ${protocol}.`) : [name]
}

function caseAsked(): Job['only'] {
  if (values.case === undefined) return undefined
  const [name, index = ''] = values.case.split(':')
  const trial = trialNames.map(String).indexOf(name ?? '')
  if (trial < 0 || !/^\d{1,9}$/.test(index)) refuse(`--case is not like ${trialNames[0]}:17.`)
  return { trial, index: Number(index) }
}

/** So long a case may take before it is taken to hang; far more than a slow machine needs. */
const hangMs = 120_000

/** Runs a job in a worker, which is given up when it hangs. */
function runJob(job: Job): Promise<readonly Result[]> {
  const { protocols, seed, place } = job
  const results: Result[] = []
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  let steps = -1
  let since = performance.now()
  const whereabouts = () => {
    const [protocol = 0, trial = 0, index = 0] = place
    return `--protocol ${protocols[protocol]} --seed ${seed} --case ${trialNames[trial] ?? 'long'}:${index}`
  }
  return new Promise((resolve, reject) => {
    const watch = setInterval(() => {
      showProgress(protocols, place)
      const now = Atomics.load(place, 3)
      if (now !== steps) {
        steps = now
        since = performance.now()
      } else if (performance.now() - since > hangMs) {
        clearInterval(watch)
        reject(new Error(`It hangs: bun run fuzz ${whereabouts()}`))
      }
    }, 1_000)
    const finish = () => {
      clearInterval(watch)
      worker.terminate()
      resolve(results)
    }
    worker.onerror = (event) => {
      clearInterval(watch)
      reject(new Error(`${event.message}, at ${whereabouts()}`))
    }
    worker.onmessage = ({ data }: MessageEvent<Result>) => {
      results.push(data)
      if (results.length === protocols.length) finish()
    }
    worker.postMessage(job)
  })
}

let shown = ''

/** A line that is written over on a terminal; elsewhere one at each twentieth. */
function showProgress(protocols: readonly ProtocolName[], place: Int32Array): void {
  const [protocol = 0, trial = 0, , cases = 0, thousandths = 0] = place
  const isLong = trial >= trialNames.length
  const part = isLong ? 'long streams' : `${Math.floor(thousandths / 50) * 5} %`
  const line = `${protocols[protocol]}: ${part}`
  if (process.stderr.isTTY) process.stderr.write(`\r${line}, ${cases} cases \u001b[K`)
  else if (line !== shown) console.error(`${line}, ${cases} cases`)
  shown = line
}

if (values.help) {
  console.log(usage)
  process.exit(0)
}
const job: Job = {
  protocols: protocolsAsked(),
  seed: wholeNumber('seed'),
  count: wholeNumber('count'),
  only: caseAsked(),
  place: new Int32Array(new SharedArrayBuffer(5 * 4)),
}
if (job.only !== undefined && values.protocol === undefined) refuse('--case needs --protocol, too.')
try {
  const results = await runJob(job)
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  for (const line of describeRun(results)) console.log(line)
  const faults = faultsOf(results)
  for (const fault of faults) console.log(fault)
  console.log(faults.length === 0 ? 'Nothing wrong.' : `${faults.length} findings.`)
  process.exit(faults.length === 0 ? 0 : 1)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
