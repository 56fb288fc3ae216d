import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { Glob } from 'bun'
import slowest from './slowest.json' with { type: 'json' }
import { importsOf } from './support/imports.ts'
import { type Kind, kindOf } from './support/kinds.ts'

// Everything that must pass, on the compiled program that TOLLGATE_BINARY names: `./compile.sh --test`.
// A section that fails ends nothing; what failed is named at the end. Files that fail in lanes, where the
// machine is busy, are run once more, each alone: those that pass then are named, and fail nothing.

const project = join(import.meta.dir, '..')
/**
 * Dear, and near to what others promise (of memory, kills, grown bodies): part of a long run alone, so
 * that each other one stays under its twenty minutes.
 */
const onlyInLongRuns =
  /^test\/(e2e\/(soak|crowd|slow-readers|cluster\/(kill|nodes-page))|long\/rehearsal|adversary\/grown-bodies|app\/prices\/simulate)\.(\w+\.)?test\.ts$/

const isLong = process.env.TOLLGATE_TEST_LONG === 'true'
const files = [...new Glob('test/**/*.test.ts').scanSync(project)]
  .filter((path) => isLong || !onlyInLongRuns.test(path))
  .sort()
const cores = availableParallelism()
/** More than there are cores, because most tests wait for most of their time; each lane takes about a gigabyte. */
const mostLanes = Math.max(cores + 1, Math.min(2 * cores + 1, Math.floor(totalmem() / 1.5e9)))

/** What has a store of its own, once more on PostgreSQL: the rest of these folders takes no time. */
const onPostgres = [
  // What the console's API asks of a store, `test/store` asks of both.
  ...(isLong ? [/^test\/admin\//] : []),
  /^test\/cli\//,
  /^test\/app\/[^/]+$|^test\/app\/(bills|config|console|nodes|prompt-cache|reconcile|status-page)\//,
  /^test\/gateway\/[^/]+$|^test\/gateway\/(availability|channels|failures)\//,
  /^test\/store\/(adjust|availability|health|price-replaces)\.test\.ts$/,
  // The program itself, where a test looks into its books.
  /^test\/e2e\/(balance|balance-changes|billing-cases|feed|frozen|left-early|live-changes|other-form|probe|receipts)\.test\.ts$/,
]
/**
 * What is the same on every store: how answers are told, bodies are read, people are slowed down and commands
 * read their options. How people sign in, `test/store/sign-in` holds on both.
 */
const sameEverywhere = new RegExp(
  [
    /\/(browser|public-links|heartbeats.*|waiting-streams|compressed-bodies|hostile-input|opening|beside)/,
    /\/(body-large|places|own-responses-at-once|limiter.*|body-thread|security-table|page-headers|session-limits)/,
    /\/(sign-in(-limits|-flood|-tls)?|setup|two-factor|trusted-device|passkeys|claimed-address)/,
    /\/(who-is-to-blame|responses-socket|vendor-price-sync|config\/diff|status-page\/page)/,
    // These have two nodes on PostgreSQL in each run, or ask no store.
    /^test\/(app\/storms|gateway\/(ended-for-money|read-bytes))/,
    /\/(choosing-(shares|rules)|committer(-late|-spool|-unstored|-reserve)?|strangers)/,
    /\/(config\/(masking|editor-schema)|console\/sizes|reconcile\/usage-file|app\/start-check)/,
    /\/(channels\/(health|probe)|availability\/availability)/,
    /^test\/cli\/(price|price-sync|resources|limits|channel-status|audit|regions|serve|secret|migrate)/,
    /^test\/cli\/(token-set|account-set|account-password|group-set|demo|usage|lifecycle|interruptible|upgrade)/,
    /^test\/admin\/(channel-names|secrets)/,
  ]
    .map(({ source }) => `(${source}(\\.slow)?\\.test\\.ts$)`)
    .join('|'),
)

/** What a worker answers, with a keeper behind it: money, limits, streams and what they refer to. */
const withWorkers =
  /^test\/app\/(apply|background\.slow|budgets|channel-limits|embeddings|health\.slow|late-readers|left-while-away|max-cost|overdrawn|own-responses|postpaid|receipts|references|regions|responses-socket|stop-sequences|text-completions|unknown-keys\.slow|units-per-call|waiting-in-line|waiting-streams\.slow)\.test\.ts$/

/** In CI a missing server is an error, which its tests then tell. */
const hasPostgres = await import('./support/postgres.ts').then(
  (postgres) => postgres.hasPostgres,
  () => true,
)

/** A store; or a worker in front of SQLite. */
type Wanted = 'sqlite' | 'postgres' | 'worker' | undefined

/** What a section's tests find in their environment. */
const environments = {
  sqlite: { TOLLGATE_TEST_STORE: 'sqlite' },
  postgres: { TOLLGATE_TEST_STORE: 'postgres' },
  worker: { TOLLGATE_TEST_STORE: 'sqlite', TOLLGATE_TEST_GROUP: '1' },
}

/**
 * The process of the tests ends before the runtime's slowest compiler pays, and there are more of them than cores: no
 * such compiler, and one thread that collects, are a sixth less work. The program that they start has both.
 */
const ofTests = { BUN_JSC_useFTLJIT: '0', BUN_JSC_numberOfGCMarkers: '1' }

/** A command and its place among the sections. */
interface Section {
  readonly name: string
  readonly command: readonly string[]
  readonly store?: Wanted
  /** Files that are tested at once; 0: one after the other, by this process alone. */
  readonly lanes?: number
  readonly env?: Readonly<Record<string, string>>
}

function testing(name: string, paths: readonly string[], store: Wanted, lanes: number): Section {
  const beside =
    lanes > 0 ? [`--parallel=${lanes}`, '--no-isolate', ...slowestFirst(name, paths)] : []
  const command = [process.execPath, 'test', '--timeout=120000', ...beside]
  // What measures runs as the program does.
  const env = { ...(store && environments[store]), ...(lanes > cores && ofTests) }
  return { name, store, lanes, env, command: [...command, ...paths.map((path) => `./${path}`)] }
}

/** Seconds that a file may take, by kind: what is begun last should end soon. */
const seconds: Readonly<Partial<Record<Kind, number>>> = {
  long: 200,
  slow: 10,
  program: 10,
  servers: 10,
  browser: 10,
}
/** Files that take longer than others of their kind: seconds in a run in lanes, to the nearest ten. */
const longest: Readonly<Record<string, number>> = slowest

function slowestFirst(name: string, paths: readonly string[]): readonly string[] {
  const file = join(project, `.cache/order of ${name}.json`)
  const orders = paths.map((path) => [path, 1000 * secondsOf(path)])
  mkdirSync(join(project, '.cache'), { recursive: true })
  writeFileSync(file, JSON.stringify({ version: 1, files: Object.fromEntries(orders) }))
  return [`--timings=${file}`]
}

function secondsOf(path: string): number {
  return longest[path] ?? seconds[kindOf(path)] ?? (path.startsWith('test/app/') ? 2 : 1)
}

/** In their order; those of one list run at once. */
function sections(only: Wanted): readonly (readonly Section[])[] {
  const beside = files.filter((path) => kindOf(path) !== 'alone')
  const alone = files.filter((path) => kindOf(path) === 'alone')
  const again = beside.filter(
    (path) =>
      !['servers', 'browser'].includes(kindOf(path)) &&
      onPostgres.some((paths) => paths.test(path)) &&
      !sameEverywhere.test(path) &&
      asksForStore(path),
  )
  const store = only ?? 'sqlite'
  const types = [process.execPath, 'check', '--no-script']
  return [
    [
      { name: 'format and lint', command: [biome(), 'check', '.'] },
      { name: 'types', command: types },
      { name: 'types of the console', command: [...types, '-p', 'src/console'] },
    ],
    [testing('tests', beside, store, mostLanes)],
    // Those with a worker wait for most of their time.
    [
      ...(only === undefined && hasPostgres
        ? [testing('tests on PostgreSQL', again, 'postgres', mostLanes - 1)]
        : []),
      ...(only === 'postgres'
        ? []
        : [testing('tests with a worker', files.filter(isOfWorkers), 'worker', cores + 1)]),
    ],
    // Each has a core; what fails there is run once more without the others.
    [testing('tests that measure', alone, store, cores)],
  ]
}

/** What does not import this can't know which store is asked for. */
const asksForStore = (path: string) => importsOf(path).has('test/support/test-store.ts')

const isOfWorkers = (path: string) => withWorkers.test(path)

function biome(): string {
  const folder = join(project, 'node_modules/@biomejs')
  const builds = readdirSync(folder).filter((name) => name.startsWith('cli-'))
  const found = builds.flatMap((name) => [...new Glob('biome*').scanSync(join(folder, name))])
  const [build, program] = [builds[0], found.find((name) => /^biome(\.exe)?$/.test(name))]
  if (build === undefined || program === undefined)
    throw new Error('Biome has no build for this machine: delete node_modules and run this again.')
  return join(folder, build, program)
}

/** Where tests keep their files; undefined: where the system does. */
let temporary: string | undefined

/** What came of a section. */
interface Came {
  readonly passed: number
  readonly failed: number
  /** Where it failed, one line each, and in which files of tests. */
  readonly names: readonly string[]
  readonly paths: ReadonlySet<string>
}

const memoryFolder = '/dev/shm'
const leastFreeBytes = 4e9

/** A folder in memory, where there is enough: hundreds of databases that sync their files wait for a disk. */
function temporaryFolder(): string | undefined {
  if (process.env.TMPDIR !== undefined || !existsSync(memoryFolder)) return undefined
  const { bavail, bsize } = statfsSync(memoryFolder)
  if (bavail * bsize < leastFreeBytes) return undefined
  const folder = mkdtempSync(join(memoryFolder, 'tollgate-tests-'))
  chmodSync(folder, 0o1777) // PostgreSQL runs as another user
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs sections at once; the output of each is shown behind that of the ones before it. */
export function runAll(sections: readonly Section[]): Promise<readonly Came[]> {
  let before: Promise<unknown> = Promise.resolve()
  return Promise.all(
    sections.map((section) => {
      const came = run(section, before)
      before = came
      return came
    }),
  )
}

/** Runs a section, shows its output as it comes, once `before` is over, and reads from it what failed. */
async function run(
  { name, command, env }: Section,
  before: Promise<unknown> = Promise.resolve(),
): Promise<Came> {
  const { FORCE_COLOR: _, ...inherited } = process.env
  const child = Bun.spawn([...command], {
    cwd: project,
    env: { ...inherited, ...env, ...(temporary && { TMPDIR: temporary }) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const begun = before.then(() => console.log(`\n== ${name}`))
  const texts = await Promise.all([show(child.stdout, begun), show(child.stderr, begun)])
  return judge(name, texts.join('\n'), await child.exited)
}

/** Reads all of it at once, for who writes would wait; shows nothing before it has `begun`. */
async function show(stream: ReadableStream<Uint8Array>, begun: Promise<unknown>): Promise<string> {
  const decoder = new TextDecoder()
  let [text, shown] = ['', 0]
  let isHeld = true
  const showRest = () => {
    process.stdout.write(text.slice(shown))
    shown = text.length
  }
  const released = begun.then(() => {
    isHeld = false
    showRest()
  })
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (!isHeld) showRest()
  }
  await released
  return text
}

/** What a finished run of tests, or of another command, says by its output and exit code. */
export function judge(name: string, text: string, code: number): Came {
  const count = (word: string) => Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(text)?.[1] ?? 0)
  const names: string[] = []
  const paths = new Set<string>()
  let file = ''
  for (const line of text.split('\n')) {
    if (/^\d+ tests? failed:$/.test(line)) break // the same once more
    file = /^(test\/\S+\.test\.ts):$/.exec(line)?.[1] ?? file
    const failed = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line)?.[1]
    const wrong =
      failed ?? (line.startsWith('# Unhandled error') ? 'an unhandled error' : undefined)
    if (wrong !== undefined) paths.add(file)
    if (wrong !== undefined) names.push(`${file}: ${wrong}`)
    else if (/^✗ /.test(line)) names.push(line.slice(2))
  }
  // A run that broke before or between its tests has failed, whatever it counted.
  const failed = Math.max(count('fail'), names.length, code === 0 ? 0 : 1)
  if (failed > 0 && names.length === 0) names.push(`exit code ${code}`)
  return { passed: count('pass'), failed, names: names.map((where) => `${name}: ${where}`), paths }
}

/** More files that fail do so for a reason of their own. */
const mostRepeated = 5

/** Whether all that failed in lanes passes alone. */
async function passesAlone(section: Section, { failed, names, paths }: Came): Promise<boolean> {
  const areTests =
    names.length >= failed && names.every((name) => [...paths].some((path) => name.includes(path)))
  if (!section.lanes || !areTests || paths.size > mostRepeated) return false
  for (const path of paths) {
    const again = await run(testing(`${path}, alone`, [path], section.store, 0))
    if (again.failed > 0) return false
  }
  return true
}

if (import.meta.main) {
  const [asked] = process.argv.slice(2)
  const only: Wanted = asked === 'sqlite' || asked === 'postgres' ? asked : undefined
  temporary = temporaryFolder()
  let [passed, failed] = [0, 0]
  const wrong: string[] = []
  const unsure: string[] = []
  for (const group of sections(only)) {
    const all = await runAll(group)
    for (const [at, section] of group.entries()) {
      const came = all[at] as Came
      const isFine = came.failed > 0 && (await passesAlone(section, came))
      passed += isFine ? came.passed + came.failed : came.passed
      failed += isFine ? 0 : came.failed
      const named = isFine ? unsure : wrong
      named.push(...came.names)
    }
  }
  if (unsure.length > 0)
    console.log(`\n== what failed in lanes, and passed alone\n${unsure.join('\n')}`)
  if (wrong.length > 0) console.log(`\n== what failed\n${wrong.join('\n')}`)
  console.log(`\nTests: ${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
