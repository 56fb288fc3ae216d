import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { freePort } from './free-port.ts'
import { createTempDir } from './temp-dir.ts'

const program = Bun.which('pgbouncer') ?? ['/usr/sbin/pgbouncer'].find((path) => Bun.which(path))

/** False: no PgBouncer is installed. */
export const hasPooler = program !== undefined
if (!hasPooler) {
  const text = 'PgBouncer is not installed ("apt-get install pgbouncer"): its tests are left out.'
  if (process.env.CI === 'true') throw new Error(text)
  console.warn(text)
}

/** A PgBouncer before a database, with the settings that a new one has but for its mode. */
export interface Pooler extends AsyncDisposable {
  /** The database as it is named behind the pooler. */
  readonly url: string
}

/** Starts one on a free port; resolves when it takes connections. */
export async function startPooler(
  databaseUrl: string,
  mode: 'session' | 'transaction',
): Promise<Pooler> {
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl)
  const port = await freePort()
  const folder = createTempDir('tollgate-pooler')
  const users = folder.join('users')
  const file = folder.join('pooler.ini')
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`)
  writeFileSync(
    file,
    [
      '[databases]',
      `${pathname.slice(1)} = host=${hostname} port=${serverPort}`,
      '[pgbouncer]',
      ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
      ...['auth_type = scram-sha-256', `auth_file = ${users}`, `pool_mode = ${mode}`, ''],
    ].join('\n'),
  )
  // It refuses to be run by root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [folder.path, users, file]) chmodSync(path, 0o755)
  const identity = isRoot ? ['setpriv', '--reuid=nobody', '--clear-groups', '--pdeathsig=KILL'] : []
  const child = Bun.spawn([...identity, program ?? '', file], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const end = async () => {
    child.kill('SIGKILL')
    await child.exited
    folder.remove()
  }
  for (const deadline = performance.now() + 10_000; !(await isOpen(port)); ) {
    if (performance.now() > deadline || child.exitCode !== null) {
      await end()
      throw new Error(`PgBouncer did not answer on port ${port}.`)
    }
    await Bun.sleep(10)
  }
  const url = new URL(databaseUrl)
  url.port = String(port)
  return { url: url.href, [Symbol.asyncDispose]: end }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      done(true)
    })
    socket.on('error', () => done(false))
  })
}
