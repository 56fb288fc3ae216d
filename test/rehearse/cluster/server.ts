import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mountTinyDisk } from '../../support/disk-trouble.ts'
import { freePort } from '../../support/free-port.ts'
import { commandOf, makeCluster, owner, ready, unprivileged } from '../../support/postgres.ts'
import { freezeFamily, wakeFamily } from '../../support/processes.ts'
import { createTempDir, removeLater } from '../../support/temp-dir.ts'

/** One PostgreSQL server on a disk of its own. */
export interface Server extends AsyncDisposable {
  readonly port: number
  /** How a database of it is named. */
  url(database: string): string
  isUp(): boolean
  /** Of the process that listens. */
  pid(): number | undefined
  /** Makes an empty server. */
  make(): void
  /** Makes a copy of a running one, which follows it. Throws when that fails. */
  copy(from: Server): void
  /** Resolves when it takes connections. */
  start(): Promise<void>
  /** `fast` as an administrator does, `immediate` as a power cut does, `killed` by SIGKILL. */
  stop(how: 'fast' | 'immediate' | 'killed'): Promise<void>
  /** Stops all of its processes where they are. */
  freeze(): void
  wake(): void
  /** Leaves no room on its disk; undefined where it has none of its own. */
  readonly fill?: () => void
  readonly empty?: () => void
}

/** What a standby calls itself. */
export const standbyName = 'standby'

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT', killed: 'SIGKILL' } as const

const settings = `
max_connections = 80
shared_buffers = 32MB
max_wal_size = 128MB
min_wal_size = 64MB
wal_keep_size = 64MB
wal_sender_timeout = 5s
wal_receiver_timeout = 5s
wal_receiver_status_interval = 1s
wal_retrieve_retry_interval = 500ms
`

/** Prepares a server; there is nothing in it yet. */
export async function prepareServer(): Promise<Server> {
  const folder = createTempDir('tollgate-rehearsal-postgres')
  const disk = mountTinyDisk('600m')
  const place = disk?.path ?? folder.path
  const data = join(place, 'data')
  const log = folder.join('log')
  const port = await freePort()
  const other = unprivileged()
  let running: ChildProcess | undefined
  removeLater(folder.path)
  const endNow = () => {
    running?.kill('SIGQUIT')
    if (disk) spawnSync('umount', ['--lazy', disk.path])
  }
  process.on('exit', endNow)

  function own(): void {
    if (other) for (const path of [folder.path, place]) chownSync(path, other.user, other.group)
  }

  const isRunning = () =>
    running !== undefined && running.exitCode === null && running.signalCode === null

  async function begin(): Promise<void> {
    const output = openSync(log, 'w')
    running = spawn(
      ...commandOf(
        'postgres',
        '-D',
        data,
        '-p',
        String(port),
        '-h',
        '127.0.0.1',
        '-k',
        folder.path,
      ),
      { stdio: ['ignore', output, output] },
    )
    closeSync(output)
    await ready(running, log)
  }

  const server: Server = {
    port,
    url: (database) =>
      `postgres://${owner.name}:${encodeURIComponent(owner.password)}@127.0.0.1:${port}/${database}`,
    isUp: isRunning,
    pid: () => (isRunning() ? running?.pid : undefined),
    make() {
      own()
      makeCluster(place, data)
      appendFileSync(join(data, 'postgresql.conf'), settings)
    },
    copy(from) {
      rmSync(data, { recursive: true, force: true })
      own()
      const { status, stderr } = spawnSync(
        ...commandOf(
          'pg_basebackup',
          ...['-d', from.url('postgres'), '-D', data, '--checkpoint=fast', '--no-sync'],
        ),
      )
      if (status !== 0) throw new Error(`pg_basebackup failed: ${stderr}`)
      const address = `host=127.0.0.1 port=${from.port} user=${owner.name} password='${owner.password}' application_name=${standbyName}`
      const line = `primary_conninfo = '${address.replaceAll("'", "''")}'\n`
      appendFileSync(join(data, 'postgresql.auto.conf'), line)
      writeFileSync(join(data, 'standby.signal'), '')
    },
    async start() {
      // Processes of a killed one may still hold its memory.
      for (let tries = 0; ; tries++) {
        try {
          return await begin()
        } catch (error) {
          if (tries === 20 || !String(error).includes('in use')) throw error
          await Bun.sleep(250)
        }
      }
    },
    async stop(how) {
      const stopped = running
      if (stopped === undefined || !isRunning()) return
      const ended = new Promise((done) => stopped.once('exit', done))
      stopped.kill(signals[how])
      await ended
    },
    freeze() {
      if (isRunning() && running?.pid) freezeFamily(running.pid)
    },
    wake() {
      if (isRunning() && running?.pid) wakeFamily(running.pid)
    },
    ...(disk && { fill: disk.fill, empty: disk.empty }),
    async [Symbol.asyncDispose]() {
      server.wake()
      await server.stop('immediate')
      process.off('exit', endNow)
      disk?.[Symbol.dispose]()
      folder.remove()
    },
  }
  return server
}
