import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'
import { hasPostgres } from './postgres.ts'

// Prints the files of tests whose store is that of TOLLGATE_TEST_STORE, one a line; none where
// PostgreSQL is not installed.

const project = join(import.meta.dir, '../..')
/** What opens a store of the engine that is asked for. */
const openers = ['support/empty-store.ts', 'support/binary.ts', 'cli/cli.ts'].map((file) =>
  join(project, 'test', file),
)

const scanners = {
  ts: new Bun.Transpiler({ loader: 'ts' }),
  tsx: new Bun.Transpiler({ loader: 'tsx' }),
}
const known = new Map<string, boolean>()

function opensStore(file: string): boolean {
  const answer = known.get(file)
  if (answer !== undefined) return answer
  const imported = scanners[file.endsWith('x') ? 'tsx' : 'ts']
    .scanImports(readFileSync(file, 'utf8'))
    .map(({ path }) => join(dirname(file), path))
    .filter((path) => path.startsWith(join(project, 'test')) && /\.tsx?$/.test(path))
  const opens = openers.includes(file) || imported.some(opensStore)
  known.set(file, opens)
  return opens
}

const files = hasPostgres ? [...new Glob('test/**/*.test.{ts,tsx}').scanSync(project)] : []
for (const file of files
  .map((name) => join(project, name))
  .filter(opensStore)
  .sort()) {
  console.log(`./${relative(project, file)}`)
}
