import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { TestDatabase } from './postgres.ts'

export type TestEngine = 'sqlite' | 'postgres'

function readEngine(): TestEngine {
  const named = process.env.TOLLGATE_TEST_STORE || 'sqlite'
  if (named === 'sqlite' || named === 'postgres') return named
  throw new Error(`TOLLGATE_TEST_STORE is "${named}": set it to sqlite or postgres.`)
}

/** Keeps the data of gateways that tests start, where a test names no other: TOLLGATE_TEST_STORE. */
export const testEngine: TestEngine = readEngine()

const variable = 'TOLLGATE_TEST_DATABASE'

/** How their configuration names the store: a file beside it, or a database of its folder's own. */
export const testStore: string =
  testEngine === 'postgres' ? `\${${variable}}` : 'sqlite:./tollgate.db'

/** What is secret in databases on a server is sealed with it; a file has a secret beside it. */
const secret = 'the-secret-of-all-tests-0123456789'

const databases = new Map<string, Promise<TestDatabase>>()

/** Gives the URL of a folder's database on PostgreSQL; it is made when it is first asked for. */
export async function databaseOf(folder: string): Promise<string> {
  const path = resolve(folder)
  const known = databases.get(path) ?? makeDatabase()
  databases.set(path, known)
  return (await known).url
}

/** Nobody else needs a server to be installed. */
async function makeDatabase(): Promise<TestDatabase> {
  const { lendDatabase } = await import('./lent-databases.ts')
  return lendDatabase()
}

/** Gives a folder's database back, if there is one. */
export async function releaseDatabaseOf(folder: string): Promise<void> {
  const path = resolve(folder)
  const database = await databases.get(path)
  if (database === undefined) return
  databases.delete(path)
  await database[Symbol.asyncDispose]()
}

/** What a command must find in its environment to open the store that its configuration names. */
export async function storeEnvironment(
  args: readonly string[],
  cwd = '.',
): Promise<Record<string, string>> {
  const file = resolve(cwd, configOf(args))
  if (!existsSync(file) || !readFileSync(file, 'utf8').includes(variable)) return {}
  return { [variable]: await databaseOf(dirname(file)), TOLLGATE_SECRET: secret }
}

/** The configuration file that a command line names. */
function configOf(args: readonly string[]): string {
  const at = args.findIndex((word) => word === '--config' || word === '-c')
  return (at >= 0 ? args[at + 1] : undefined) ?? 'tollgate.yaml'
}
