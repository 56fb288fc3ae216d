import { existsSync, readFileSync } from 'node:fs'

// The folder or the name of a file of tests says what it needs, and so when it runs. `bun test` runs what
// needs a checkout only; `bun test PATH` runs what it names; `./compile.sh --test` runs everything.

/** What more than a checkout a file of tests needs, and how its path says so. */
const kinds = {
  long: { paths: /^test\/long\//, needs: 'minutes' },
  alone: { paths: /\.alone\.test\.ts$/, needs: 'a core of their own: they measure time or memory' },
  program: { paths: /^test\/(e2e|cli)\/|\.program\.test\.ts$/, needs: 'the compiled program' },
  browser: { paths: /[/.]browser\.test\.ts$/, needs: 'a browser' },
  servers: {
    paths: /\.servers\.test\.ts$|^test\/store\/(postgres|valkey)\//,
    needs: 'PostgreSQL or Valkey',
  },
  app: { paths: /^test\/app\//, needs: 'whole gateways, one after the other' },
  slow: { paths: /\.slow\.test\.ts$/, needs: 'a second or more' },
} as const

export type Kind = keyof typeof kinds | 'fast'

/** What a file is, by its path from the project's folder. */
export function kindOf(path: string): Kind {
  const found = Object.entries(kinds).find(([, { paths }]) => paths.test(path))
  return (found?.[0] as Kind | undefined) ?? 'fast'
}

/** What `bun test` leaves out, in one line. */
export const leftOut = `Left out (./compile.sh --test runs them, and so does "bun test" with their path): tests that need ${Object.values(
  kinds,
)
  .map(({ needs }) => needs)
  .join('; ')}.`

/** True in a `bun test` that names no path: it leaves out what is not fast. */
export const isFastRun = !namesPaths(commandLine('self'))

/** A file of a run in lanes is tested in a child of the process that has the paths. */
function namesPaths(words: readonly string[]): boolean {
  if (words.includes('--test-worker')) return namesPaths(commandLine(String(process.ppid)))
  return words[1] !== 'test' || words.slice(2).some((word) => word !== '' && existsSync(word))
}

/** The words with which a process was begun; Bun itself does not tell its tests. */
function commandLine(pid: string): readonly string[] {
  const file = `/proc/${pid}/cmdline`
  if (existsSync(file)) return readFileSync(file, 'utf8').split('\0')
  const id = pid === 'self' ? String(process.pid) : pid
  return Bun.spawnSync(['ps', '-o', 'args=', '-p', id]).stdout.toString().trim().split(' ')
}
