import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

// bun run adversary: customers who mean harm, made by chance, against the compiled program.

const usage = `Usage: bun run adversary [--runs N] [--seed S] [--minutes M] [--store sqlite|workers|postgres]
                         [--binary PATH] [--only KIND,…] [--replay FILE] [--keep-going | --no-shrink]
Customers made by chance ask the compiled program for all that a vendor bills, leave when they like,
and a vendor keeps its own bill: looks after each run whether everything is paid. Without --runs and
--minutes 500 runs. --store workers: a gateway of four workers; postgres: two nodes on one database.
--binary names another program than dist/tollgate. --replay plays a script that was shown before. Ends
with 1 at the first fault, with the smallest script that shows it (--no-shrink: the whole);
--keep-going counts them by kind.`

function refuse(words: string): never {
  console.error(`${words}\n${usage}`)
  process.exit(2)
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    store: { type: 'string', default: 'sqlite' },
    binary: { type: 'string' },
    only: { type: 'string' },
    replay: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}

function wholeNumber(name: 'runs' | 'minutes'): number | undefined {
  const text = values[name]
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  return refuse(`--${name} is ${JSON.stringify(text)}, but it is a whole number above 0.`)
}

const { store } = values
if (store !== 'sqlite' && store !== 'workers' && store !== 'postgres')
  refuse(`--store is ${store}: sqlite, workers or postgres.`)
// Read when the program is looked for, which is when the rest is loaded.
if (values.binary !== undefined) process.env.TOLLGATE_BINARY = values.binary
const { hunt, replay } = await import('./hunt.ts')
const { kindNames } = await import('./kinds.ts')

function kindsAsked() {
  return values.only?.split(',').map((name) => {
    const known = kindNames.find((kind) => kind === name)
    return known ?? refuse(`There is no kind ${name}: ${kindNames.join(', ')}.`)
  })
}

if (values.replay !== undefined) {
  const faults = await replay(store, JSON.parse(readFileSync(values.replay, 'utf8')))
  for (const { promise, text } of faults) console.log(`Broken: ${promise}: ${text}`)
  if (faults.length === 0) console.log('Nothing wrong.')
  process.exit(faults.length === 0 ? 0 : 1)
}
const minutes = wholeNumber('minutes')
const isWell = await hunt({
  store,
  runs: wholeNumber('runs') ?? (minutes === undefined ? 500 : Number.POSITIVE_INFINITY),
  minutes: minutes ?? Number.POSITIVE_INFINITY,
  seed: values.seed ?? String(1 + (Date.now() % 1_000_000)),
  kinds: kindsAsked(),
  keepsGoing: values['keep-going'],
  shrinks: !values['no-shrink'],
  say: (line) => console.log(line),
})
process.exit(isWell ? 0 : 1)
