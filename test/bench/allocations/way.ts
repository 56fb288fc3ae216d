import { createTempDir } from '../../support/temp-dir.ts'

/** What one small request executes beyond what starting the gateway does. */
export interface Way {
  readonly files: readonly string[]
  readonly lines: number
}

/** Starts the gateway twice under Bun's coverage, and asks it something the second time. */
export async function wayOfOneRequest(): Promise<Way> {
  const idle = await coveredLines(0)
  const asked = await coveredLines(1)
  const beyond = new Map<string, number>()
  for (const [file, lines] of asked) {
    const more = [...lines].filter(([line, hits]) => hits > (idle.get(file)?.get(line) ?? 0))
    if (more.length > 0) beyond.set(file, more.length)
  }
  const lines = [...beyond.values()].reduce((sum, count) => sum + count, 0)
  return { files: [...beyond.keys()].toSorted(), lines }
}

type Hits = ReadonlyMap<number, number>

/** How often each line of each source file was executed. */
async function coveredLines(requests: number): Promise<ReadonlyMap<string, Hits>> {
  using folder = createTempDir('tollgate-coverage')
  const coverage = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder.path}`]
  const command = [process.execPath, 'test', ...coverage, './one-request.ts']
  const { exitCode, stderr } = Bun.spawnSync(command, {
    cwd: import.meta.dir,
    env: { ...process.env, TOLLGATE_BENCH_REQUESTS: String(requests) },
  })
  if (exitCode !== 0) throw new Error(stderr.toString())
  const found = new Map<string, Map<number, number>>()
  let hits = new Map<number, number>()
  for (const row of (await Bun.file(folder.join('lcov.info')).text()).split('\n')) {
    const [kind = '', rest = ''] = row.split(/:(.*)/s)
    const [line, count] = rest.split(',').map(Number)
    if (kind === 'SF') hits = new Map()
    if (kind === 'SF' && rest.includes('src/')) found.set(rest.slice(rest.indexOf('src/')), hits)
    if (kind === 'DA' && line && count) hits.set(line, count)
  }
  return found
}
