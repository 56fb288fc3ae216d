import { parseArgs } from 'node:util'
import { binaryPath } from '../support/binary.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { type BenchOptions, startBench } from './suite/bench.ts'
import { cases } from './suite/cases.ts'
import { describeGoals } from './suite/goals.ts'
import { describeCase, describeHead, type Report } from './suite/report.ts'
import { subjectNames } from './suite/subjects.ts'
import type { CaseSummary } from './suite/summary.ts'
import { describeMachine, installPortkey, leaveSubjectsCore, missingTools } from './suite/tools.ts'

const names = cases.map(({ name }) => name)
const usage = `Usage: bun run bench [--quick] [--only CASE,…] [--subjects SUBJECT,…] [--rounds N]
         [--seconds N] [--warm N] [--tokens N] [--requests N] [--models N] [--groups N]
         [--json FILE] [--save]

Builds the program (or takes TOLLGATE_BINARY) and measures it beside others that stand before the
same upstream: each alone on one core, load and upstream on another, in interleaved rounds.

--quick     a few cases in under two minutes, beside the figures of the last whole run
--only      of ${names.join(', ')}
--subjects  of ${subjectNames.join(', ')}
--rounds    how often each is measured (5)
--seconds   how long each time (3, or 1)
--warm      seconds of load before a program's first measurement (10, or 4)
--tokens, --requests   rows of the full database (1000000, 10000000)
--models, --groups     of the large catalog (1000, 10)
--json      writes the figures into FILE as well
--save      writes them into test/bench/last-run.json

Needs Linux with two cores, nginx and wrk; the Node gateway comes from the npm registry.`

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    subjects: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string' },
    warm: { type: 'string' },
    tokens: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '10000000' },
    models: { type: 'string', default: '1000' },
    groups: { type: 'string', default: '10' },
    json: { type: 'string' },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}

function count(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  console.error(`--${name} is ${JSON.stringify(text)}, but it is a whole number above 0.\n${usage}`)
  process.exit(2)
}

/** Of what is known those that are named; all of it when none is. */
function chosen<Name extends string>(
  option: string,
  text: string | undefined,
  { known, usual }: { known: readonly Name[]; usual: readonly Name[] },
): readonly Name[] {
  if (text === undefined) return usual
  const wanted = text.split(',')
  const unknown = wanted.filter((name) => !known.includes(name as Name))
  if (unknown.length === 0) return known.filter((name) => wanted.includes(name))
  console.error(`--${option} knows no ${unknown.join(', ')}.\n${usage}`)
  process.exit(2)
}

const isQuick = values.quick
const usualCases = cases.filter((one) => one.isQuick || !isQuick)
const caseNames = chosen('only', values.only, {
  known: names,
  usual: usualCases.map(({ name }) => name),
})
const options: BenchOptions = {
  subjects: chosen('subjects', values.subjects, {
    known: subjectNames,
    usual: isQuick ? ['nginx', 'bare', 'tollgate'] : subjectNames,
  }),
  rounds: count('rounds', values.rounds),
  seconds: count('seconds', values.seconds ?? (isQuick ? '1' : '3')),
  warmSeconds: count('warm', values.warm ?? (isQuick ? '4' : '10')),
  tokens: count('tokens', values.tokens),
  requests: count('requests', values.requests),
  models: count('models', values.models),
  groups: count('groups', values.groups),
}
const say = (line: string) => console.log(line)
const missing = missingTools()
if (missing !== undefined) {
  console.error(missing)
  process.exit(1)
}
const machine = describeMachine()
build()
leaveSubjectsCore()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** The program that is measured; one that is named is taken as it is. */
function build(): void {
  if (process.env.TOLLGATE_BINARY) return
  const script = `${import.meta.dir}/../../compile.sh`
  const { exitCode } = Bun.spawnSync([script], { stdout: 'inherit', stderr: 'inherit' })
  if (exitCode !== 0) process.exit(exitCode ?? 1)
}

const lastFile = Bun.file(`${import.meta.dir}/last-run.json`)

async function run(): Promise<Report> {
  using folder = createTempDir('tollgate-bench')
  process.once('exit', folder.remove)
  const portkey = options.subjects.includes('portkey') ? installPortkey(say) : undefined
  const last: Report | undefined =
    isQuick && (await lastFile.exists()) ? await lastFile.json() : undefined
  const { subjects: _, ...counted } = options
  say(describeHead({ machine, options: counted }).join('\n'))
  await using bench = await startBench(options, { folder, portkey, say })
  const found: Record<string, CaseSummary> = {}
  for (const one of cases) {
    if (!caseNames.includes(one.name)) continue
    say(`\n${one.name} …`)
    try {
      const summary = await one.run(bench)
      found[one.name] = summary
      say(describeCase(summary, last?.cases[one.name]).join('\n'))
    } catch (error) {
      console.error(`${one.name} could not be measured: ${error}`)
      process.exitCode = 1
    }
  }
  return { machine, options: counted, cases: found }
}

const report = await run()
say(`\n${describeGoals(report).join('\n')}`)
say(`Measured: ${binaryPath}`)
const text = `${JSON.stringify(report, null, 2)}\n`
if (values.json !== undefined) await Bun.write(values.json, text)
if (values.save) await Bun.write(lastFile, text)
