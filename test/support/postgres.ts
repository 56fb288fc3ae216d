import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { valueTypes } from '../../src/store/postgres/connections.ts'
import { freePort } from './free-port.ts'
import { isFastRun } from './kinds.ts'
import { createTempDir, removeLater } from './temp-dir.ts'

/** A PostgreSQL server of a test's own, on this machine alone, in a temporary folder. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  /** How a configuration names a database of it. */
  url(database: string): string
  /** Ends it: `fast` as an administrator does, `immediate` as a power cut does. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** Starts it again on the same port; resolves when it takes connections. */
  start(): Promise<void>
}

const debianFolder = '/usr/lib/postgresql'
/** Of all servers and databases of tests. */
export const owner = { name: 'tollgate', password: 'word of a test' }
const startMs = 30_000

/** The folder with the server's programs: Debian's newest, or where the shell finds them. */
function findPrograms(): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).map(Number) : []
  const folders = versions
    .sort((one, other) => other - one)
    .map((version) => join(debianFolder, String(version), 'bin'))
  folders.push(...(process.env.PATH ?? '').split(':'))
  return folders.find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  )
}

const programs = isFastRun ? undefined : findPrograms()

/** False: no server is installed, or this run is a fast one. With CI=true that is an error, for there nothing may be left out. */
export const hasPostgres = programs !== undefined
if (!hasPostgres && !isFastRun) {
  const text = 'PostgreSQL is not installed ("apt-get install postgresql"): its tests are left out.'
  if (process.env.CI === 'true') throw new Error(text)
  console.warn(text)
}

/** The server refuses to be run by root; any other user may. */
export function unprivileged(): { readonly user: number; readonly group: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string, name: string) => {
    const { status, stdout } = spawnSync('id', [flag, name])
    return status === 0 ? Number(stdout) : undefined
  }
  for (const name of ['postgres', 'nobody']) {
    const [user, group] = [idOf('-u', name), idOf('-g', name)]
    if (user !== undefined && group !== undefined) return { user, group }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody".')
}

/** A command line for one of the server's programs, which also ends when this process is killed. */
export function commandOf(
  program: string,
  ...words: readonly string[]
): readonly [string, string[]] {
  const path = join(programs ?? '', program)
  if (Bun.which('setpriv') === null) return [path, [...words]]
  const other = unprivileged()
  const identity = other
    ? [`--reuid=${other.user}`, `--regid=${other.group}`, '--clear-groups']
    : []
  return ['setpriv', [...identity, '--pdeathsig=QUIT', '--', path, ...words]]
}

/** Makes the files of an empty server in `data`, within `folder`: a copy of the first ones that were made. */
export function makeCluster(folder: string, data: string): void {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, owner.password)
  const other = unprivileged()
  if (other) for (const path of [folder, passwordFile]) chownSync(path, other.user, other.group)
  const options = [
    ...['-U', owner.name, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8'],
    ...['--no-sync', '--no-instructions'],
  ]
  const kept = join(keptClusters, nameOf([programs, other, owner, options]))
  if (!existsSync(kept)) {
    const words = ['-D', data, '--pwfile', passwordFile, ...options]
    execute(...commandOf('initdb', ...words))
    keep(data, kept)
  } else execute('cp', ['-a', kept, data])
}

/** To make the files takes seconds of a processor, to copy them next to nothing. */
const keptClusters = join(import.meta.dir, '../../.cache/postgres')

/** A name for what is the same in all that it depends on, the server's version among it. */
function nameOf(parts: readonly unknown[]): string {
  const { size, mtimeMs } = statSync(join(programs ?? '', 'postgres'))
  return Bun.hash(JSON.stringify([...parts, size, mtimeMs])).toString(36)
}

/** Copies a cluster to where others are copied from; who comes second leaves the first one there. */
function keep(data: string, kept: string): void {
  const draft = `${kept}.${process.pid}`
  mkdirSync(keptClusters, { recursive: true })
  execute('cp', ['-a', data, draft])
  try {
    renameSync(draft, kept)
  } catch (error) {
    rmSync(draft, { recursive: true })
    if (!existsSync(kept)) throw error
  }
}

function execute(command: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync(command, [...words])
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed: ${stderr}`)
}

/** Gives a server its certificate and key: they must be its own. Returns the settings. */
function takeCertificate(folder: string, { cert, key }: Certificate): readonly string[] {
  const files = { ssl_cert_file: cert, ssl_key_file: key }
  const other = unprivileged()
  const settings = Object.entries(files).map(([name, from]) => {
    const path = join(folder, name)
    copyFileSync(from, path)
    chmodSync(path, 0o600)
    if (other) chownSync(path, other.user, other.group)
    return `${name}=${path}`
  })
  return ['ssl=on', ...settings]
}

/** Paths of a certificate and its key. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Starts a server with the settings that a new one has; `more` are further ones. */
export async function startPostgres(
  more: readonly string[] = [],
  certificate?: Certificate,
): Promise<PostgresServer> {
  const folder = createTempDir('tollgate-postgres')
  const data = folder.join('data')
  makeCluster(folder.path, data)
  const settings = [...more, ...(certificate ? takeCertificate(folder.path, certificate) : [])]
  const port = await freePort()
  let running: ChildProcess | undefined
  const endNow = () => running?.kill('SIGQUIT')
  removeLater(folder.path)

  const server: PostgresServer = {
    port,
    url: (database) =>
      `postgres://${owner.name}:${encodeURIComponent(owner.password)}@127.0.0.1:${port}/${database}`,
    async start() {
      // A file takes whatever it says; a pipe that is not read holds it up.
      const log = openSync(folder.join('log'), 'w')
      const [command, words] = commandOf(
        'postgres',
        ...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder.path],
        ...settings.flatMap((setting) => ['-c', setting]),
      )
      running = spawn(command, words, { stdio: ['ignore', log, log] })
      closeSync(log)
      await ready(running, folder.join('log'))
    },
    async stop(mode) {
      const stopped = running
      running = undefined
      if (!stopped || stopped.exitCode !== null) return
      const ended = new Promise((done) => stopped.once('exit', done))
      stopped.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await ended
    },
    async [Symbol.asyncDispose]() {
      await server.stop('immediate')
      process.off('exit', endNow)
      folder.remove()
    },
  }
  process.on('exit', endNow)
  await server.start()
  return server
}

/** Waits until it says so in its log; rejects with what it says when it ends instead. */
export async function ready(server: ChildProcess, log: string): Promise<void> {
  const end = performance.now() + startMs
  for (;;) {
    const said = readFileSync(log, 'utf8')
    if (/is ready to accept (read-only )?connections/.test(said)) return
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended: ${said}`)
    if (performance.now() > end) throw new Error(`No PostgreSQL in time: ${said}`)
    await Bun.sleep(20)
  }
}

let shared: Promise<PostgresServer> | undefined

/** The server that all tests of this process share; it is started when it is first asked for. */
export function sharedPostgres(): Promise<PostgresServer> {
  // Nothing on it outlives the tests, and none of them cuts its power.
  shared ??= startPostgres(['fsync=off', 'full_page_writes=off'])
  return shared
}

/** A database of a test's own on the shared server. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string
  readonly name: string
}

let databases = 0

/** Makes one, as a copy of `template` where one is named. Nobody may be connected to that. */
export async function createDatabase(template = 'template1'): Promise<TestDatabase> {
  const server = await sharedPostgres()
  const name = `test_${++databases}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  return {
    name,
    url: server.url(name),
    [Symbol.asyncDispose]: () => administer(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/** Runs one statement as the server's administrator. */
export async function administer(text: string): Promise<void> {
  await ask((await sharedPostgres()).url('postgres'), text)
}

/** Runs one statement on a connection of its own; counts and sums come as numbers. */
export async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url, types: valueTypes })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
