import { describe } from 'bun:test'
import { freePort } from './free-port.ts'
import { isFastRun } from './kinds.ts'
import { createTempDir, removeLater } from './temp-dir.ts'

/** A real Valkey or Redis: Debian's, or the one that `VALKEY` names. */
const program = isFastRun
  ? undefined
  : (process.env.VALKEY ?? Bun.which('valkey-server') ?? Bun.which('redis-server') ?? undefined)

if (program === undefined && !isFastRun) {
  const message = 'No valkey-server or redis-server: tests of shared counters do not run.'
  if (process.env.CI === 'true') throw new Error(message)
  console.warn(`${message} Install one of them, or name one in VALKEY.`)
}

/** False: no server is installed, which is an error in CI, or this run is a fast one. */
export const hasValkey = program !== undefined

/** `describe` for tests that need a Valkey: skipped where there is none. In CI there must be one. */
export const describeWithValkey = hasValkey ? describe : describe.skip

/** A server of a test's own on a free port, which keeps nothing on disk. */
export interface Valkey {
  readonly url: string
  /** Resolves when it answers. What it knew when it was stopped is gone. */
  start(): Promise<void>
  /** Kills it. */
  stop(): Promise<void>
  /** It answers nothing, but its connections stay: what a machine does that is out of reach. */
  freeze(): void
  thaw(): void
  /** Asks by a connection of its own. */
  ask(command: string, ...args: string[]): Promise<unknown>
}

/** Ends a server with its test process, even where that is killed. */
const mortal = Bun.which('setpriv') ? ['setpriv', '--pdeathsig', 'KILL'] : []

/** Paths of a certificate and its key. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/**
 * Starts a server; one with a certificate takes encrypted connections only. Stop it: it would end with
 * the test process, but not sooner.
 */
export async function startValkey(certificate?: Certificate): Promise<Valkey> {
  const port = await freePort()
  const url = `${certificate ? 'rediss' : 'redis'}://127.0.0.1:${port}`
  const listening = certificate
    ? [
        ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
        ...['--tls-cert-file', certificate.cert, '--tls-key-file', certificate.key],
        ...['--tls-ca-cert-file', certificate.cert],
      ]
    : ['--port', String(port)]
  const folder = createTempDir('tollgate-valkey')
  let child: Bun.Subprocess | undefined
  process.once('exit', () => child?.kill('SIGKILL'))
  removeLater(folder.path)

  async function ask(command: string, ...args: string[]): Promise<unknown> {
    const client = new Bun.RedisClient(url, {
      ...{ autoReconnect: false, enableOfflineQueue: true },
      ...(certificate && { tls: { rejectUnauthorized: false } }),
    })
    try {
      return await client.send(command, args)
    } finally {
      client.close()
    }
  }

  async function start(): Promise<void> {
    if (child !== undefined) throw new Error('It runs already.')
    const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--databases', '16']
    child = Bun.spawn([...mortal, program ?? '', ...listening, '--dir', folder.path, ...options], {
      stdout: 'ignore',
      stderr: 'ignore',
    })
    for (const deadline = performance.now() + 10_000; performance.now() < deadline; ) {
      if ((await ask('PING').catch(() => '')) === 'PONG') return
      await Bun.sleep(5) // nobody listens yet
    }
    throw new Error(`${program} did not answer on ${url} within 10 s.`)
  }

  await start()
  return {
    url,
    start,
    async stop() {
      child?.kill('SIGKILL')
      await child?.exited
      child = undefined
    },
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    ask,
  }
}

/** How long the slot that is kept longest is taken still, by the server's own clock. */
export const leaseLeftMs = async ({ ask }: Valkey, slots: string): Promise<number> =>
  Number(
    await ask(
      'EVAL',
      `local last, now = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES'), redis.call('TIME')
      return math.ceil(last[2] - now[1] * 1000 - now[2] / 1000)`,
      ...['1', slots],
    ),
  )

let names = 0

/** A prefix that nobody else uses: what tests of one server are kept apart by. */
export const freshPrefix = (): string => `test-${process.pid}-${++names}`
