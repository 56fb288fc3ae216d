import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { chooseRate, findRate } from './streams/rates.ts'
import { describeReport, type Report, wrongOf } from './streams/report.ts'
import { runIdle, runStreams } from './streams/run.ts'
import { startScene } from './streams/scene.ts'

// Many streams at once through the compiled program, with the upstream and the load on the same
// machine: what breaks, what the gateway adds to the time between events, what it takes for that.

const usage = `Usage: bun test/bench/streams.ts [--streams N] [--rate R] [--seconds S] [--wanted R]
         [--beside N] [--idle N,N] [--no-run] [--unpinned] [--json FILE]
         [--workers N | --bare]

3000 streams for 300 s. Without --rate the highest rate up to --wanted (50 events a second and
stream) is looked for that the machine can carry with everything on it. --beside: streams that go
straight to the upstream at the same time, to compare with (100). --idle: how much memory so many
streams take that say nothing; with --no-run only that. With two cores the gateway has one for
itself; --unpinned leaves that to the system. --workers: so many processes answer (1); --bare: a proxy
that does nothing else stands there instead. TOLLGATE_BINARY names another program than
dist/tollgate.`

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '3000' },
    rate: { type: 'string' },
    wanted: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '300' },
    beside: { type: 'string', default: '100' },
    idle: { type: 'string', default: '' },
    'no-run': { type: 'boolean', default: false },
    unpinned: { type: 'boolean', default: false },
    workers: { type: 'string', default: '1' },
    bare: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}

function count(name: string, text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text)
  console.error(`--${name} is ${JSON.stringify(text)}, but it is a whole number.\n${usage}`)
  process.exit(2)
}

const streams = count('streams', values.streams)
const besides = count('beside', values.beside)
const seconds = count('seconds', values.seconds)
const wanted = count('wanted', values.wanted)
const idleCounts = values.idle === '' ? [] : values.idle.split(',').map((n) => count('idle', n))
const pinned = !values.unpinned && cpus().length > 1 && Bun.which('taskset') !== null
const say = (line: string) => console.log(line)

await using scene = await startScene(
  { gateway: pinned ? 0 : undefined, others: pinned ? 1 : undefined },
  values.bare ? 'bare' : { workers: count('workers', values.workers) },
)

async function tryRates(): Promise<Report['tried']> {
  if (values['no-run'] || values.rate !== undefined) return null
  say(`Looking for the rate that can be carried, ${streams} streams:`)
  const options = { count: streams, wanted, say }
  const direct = await findRate(scene, 'direct', options)
  const gateway = await findRate(scene, 'gateway', { ...options, wanted: direct.highest })
  return { direct, gateway }
}

async function run(tried: Report['tried']): Promise<Report['run']> {
  if (values['no-run']) return null
  const found = tried === null ? [] : [tried.direct, tried.gateway]
  const rate = values.rate === undefined ? chooseRate(wanted, found) : count('rate', values.rate)
  say(`${streams} streams at ${rate}/s for ${seconds} s:`)
  return runStreams(scene, { streams, besides, rate, seconds, say })
}

const tried = await tryRates()
const result = await run(tried)
const idle = []
for (const one of idleCounts) idle.push(await runIdle(scene, one))
const report: Report = {
  cores: cpus().length,
  pinned,
  wanted: { streams, rate: wanted, seconds },
  tried,
  run: result,
  idle,
}
say(describeReport(report).join('\n'))
if (values.json !== undefined) await Bun.write(values.json, `${JSON.stringify(report, null, 2)}\n`)
process.exitCode = wrongOf(report).length === 0 ? 0 : 1
