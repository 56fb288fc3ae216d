import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { Glob } from 'bun'
import { type Kind, kindOf } from './support/kinds.ts'

// Everything that must pass, on the compiled program that TOLLGATE_BINARY names: `./compile.sh --test`.
// A section that fails ends nothing; what failed is named at the end.

const project = join(import.meta.dir, '..')
const files = [...new Glob('test/**/*.test.ts').scanSync(project)].sort()
/** More than there are cores, because most tests wait for much of their time; each lane takes about a gigabyte. */
const cores = availableParallelism()
const lanes = Math.max(cores + 1, Math.min(2 * cores, Math.floor(totalmem() / 1.5e9)))

/** What has a store of its own, once more on PostgreSQL: the rest of these folders takes no time. */
const onPostgres = [
  /^test\/(admin|cli)\//,
  /^test\/app\/[^/]+$|^test\/app\/(bills|config|console|nodes|prompt-cache|reconcile|status-page)\//,
  /^test\/gateway\/[^/]+$|^test\/gateway\/(availability|channels|failures)\//,
  /^test\/store\/(adjust|availability|health|price-replaces)\.test\.ts$/,
  // The program itself, where a test looks into its books.
  /^test\/e2e\/(balance|balance-changes|billing-cases|feed|frozen|left-early|live-changes|other-form|probe|receipts)\.test\.ts$/,
]
/**
 * How answers are told, bodies are read, people are slowed down and commands read their options is the
 * same on every store.
 */
const sameEverywhere =
  /\/(browser|public-links|heartbeats.*|waiting-streams|compressed-bodies|hostile-input|sign-in(-limits|-flood)?|opening|beside|body-large|places|own-responses-at-once|limiter.*|gateway\/channels\/health)(\.slow)?\.test\.ts$|^test\/cli\/(price|resources|limits|channel-status|audit)\.test\.ts$/

/** In CI a missing server is an error, which its tests then tell. */
const hasPostgres = await import('./support/postgres.ts').then(
  (postgres) => postgres.hasPostgres,
  () => true,
)

type Wanted = 'sqlite' | 'postgres' | undefined

/** A command and its place among the sections. */
interface Section {
  readonly name: string
  readonly command: readonly string[]
  readonly store?: Wanted
}

function testing(name: string, paths: readonly string[], store: Wanted, inLanes: boolean): Section {
  const beside = inLanes ? [`--parallel=${lanes}`, '--no-isolate', ...slowestFirst(paths)] : []
  const command = [process.execPath, 'test', '--timeout=120000', ...beside]
  return { name, store, command: [...command, ...paths.map((path) => `./${path}`)] }
}

/** Seconds that a file may take, by kind: what is begun last should end soon. */
const seconds: Readonly<Partial<Record<Kind, number>>> = { long: 200, slow: 10, program: 10 }
/** Files that take longer than others of their kind. */
const longest =
  /^test\/e2e\/(console|cluster)\/|\/(backup|limit-rates|soak|tampering-postgres|translated-balance)\./

function slowestFirst(paths: readonly string[]): readonly string[] {
  const file = join(project, '.cache/test-order.json')
  const orders = paths.map((path) => [path, 1000 * secondsOf(path)])
  mkdirSync(join(project, '.cache'), { recursive: true })
  writeFileSync(file, JSON.stringify({ version: 1, files: Object.fromEntries(orders) }))
  return [`--timings=${file}`]
}

function secondsOf(path: string): number {
  if (longest.test(path)) return 60
  return seconds[kindOf(path)] ?? (path.startsWith('test/app/') ? 2 : 1)
}

function sections(only: Wanted): readonly Section[] {
  const beside = files.filter((path) => kindOf(path) !== 'alone')
  const alone = files.filter((path) => kindOf(path) === 'alone')
  const again = beside.filter(
    (path) =>
      !['servers', 'browser'].includes(kindOf(path)) &&
      onPostgres.some((paths) => paths.test(path)) &&
      !sameEverywhere.test(path),
  )
  const store = only ?? 'sqlite'
  return [
    { name: 'format and lint', command: [biome(), 'check', '.'] },
    { name: 'types', command: [process.execPath, 'check', '--no-script'] },
    {
      name: 'types of the console',
      command: [process.execPath, 'check', '--no-script', '-p', 'src/console'],
    },
    testing('tests', beside, store, true),
    ...(only === undefined && hasPostgres
      ? [testing('tests on PostgreSQL', again, 'postgres', true)]
      : []),
    testing('tests that measure, one at a time', alone, store, false),
  ]
}

function biome(): string {
  const folder = join(project, 'node_modules/@biomejs')
  const builds = readdirSync(folder).filter((name) => name.startsWith('cli-'))
  const found = builds.flatMap((name) => [...new Glob('biome*').scanSync(join(folder, name))])
  const [build, program] = [builds[0], found.find((name) => /^biome(\.exe)?$/.test(name))]
  if (build === undefined || program === undefined)
    throw new Error('Biome has no build for this machine: delete node_modules and run this again.')
  return join(folder, build, program)
}

/** What came of a section. */
interface Came {
  readonly passed: number
  readonly failed: number
  /** Where it failed, one line each. */
  readonly names: readonly string[]
}

/** Runs a section, shows its output as it comes, and reads from it what failed. */
async function run({ name, command, store }: Section): Promise<Came> {
  console.log(`\n== ${name}`)
  const { FORCE_COLOR: _, ...inherited } = process.env
  const child = Bun.spawn([...command], {
    cwd: project,
    env: { ...inherited, ...(store && { TOLLGATE_TEST_STORE: store }) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const texts = await Promise.all([show(child.stdout), show(child.stderr)])
  return judge(name, texts.join('\n'), await child.exited)
}

async function show(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    process.stdout.write(chunk)
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

/** What a finished run of tests, or of another command, says by its output and exit code. */
export function judge(name: string, text: string, code: number): Came {
  const count = (word: string) => Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(text)?.[1] ?? 0)
  const names: string[] = []
  let file = ''
  for (const line of text.split('\n')) {
    if (/^\d+ tests? failed:$/.test(line)) break // the same once more
    file = /^(test\/\S+\.test\.ts):$/.exec(line)?.[1] ?? file
    const failed = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line)?.[1]
    if (failed !== undefined) names.push(`${file}: ${failed}`)
    else if (/^✗ /.test(line)) names.push(line.slice(2))
    else if (line.startsWith('# Unhandled error')) names.push(`${file}: an unhandled error`)
  }
  // A run that broke before or between its tests has failed, whatever it counted.
  const failed = Math.max(count('fail'), names.length, code === 0 ? 0 : 1)
  if (failed > 0 && names.length === 0) names.push(`exit code ${code}`)
  return { passed: count('pass'), failed, names: names.map((where) => `${name}: ${where}`) }
}

if (import.meta.main) {
  const [asked] = process.argv.slice(2)
  const only: Wanted = asked === 'sqlite' || asked === 'postgres' ? asked : undefined
  const came: Came[] = []
  for (const section of sections(only)) came.push(await run(section))
  const sum = (field: 'passed' | 'failed') => came.reduce((total, one) => total + one[field], 0)
  const names = came.flatMap((one) => one.names)
  if (names.length > 0) console.log(`\n== what failed\n${names.join('\n')}`)
  console.log(`\nTests: ${sum('passed')} passed, ${sum('failed')} failed`)
  process.exit(sum('failed') === 0 ? 0 : 1)
}
