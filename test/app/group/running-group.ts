import type { LivingWorker } from '../../../src/app/group/messages.ts'
import { type StarterRole, withRole } from '../../../src/app/group/role.ts'
import { until } from '../../e2e/until.ts'
import { freePort } from '../../support/free-port.ts'

interface KeeperSays {
  readonly pid: number
  readonly start: number
  readonly living: readonly LivingWorker[]
  readonly heard: readonly string[]
}

export interface WorkerSays {
  readonly index: number
  readonly pid: number
  readonly start: number
  readonly inherited: string | null
}

interface Options {
  readonly workers?: number
  readonly env?: { readonly [name: string]: string }
  readonly stopMs?: number
  readonly port?: number
}

/** Starts a group of stand-ins. Those that are ready are asked by `ask` (any worker) and `keeper`. */
export async function startGroup({
  workers = 2,
  env = {},
  stopMs = 60_000,
  ...given
}: Options = {}) {
  const port = given.port ?? (await freePort())
  const name = crypto.randomUUID()
  const role: StarterRole = {
    ...{ role: 'starter', workers, host: '127.0.0.1', port, stopMs, log: 'json', secret: name },
    ...{ pages: `\0${name}-pages`, link: `\0${name}-link` },
  }
  const starter = Bun.spawn([process.execPath, `${import.meta.dir}/stand-in.ts`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...withRole(role), ...env },
  })
  const output = Promise.all([starter.stdout.text(), starter.stderr.text()])
  const url = `http://127.0.0.1:${port}`

  const ask = async (path = '/'): Promise<WorkerSays> => {
    const headers = { connection: 'close' }
    return (await fetch(url + path, { headers, proxy: false })).json() as Promise<WorkerSays>
  }

  const keeper = async (query = ''): Promise<KeeperSays | undefined> => {
    try {
      const answer = await fetch(`http://keeper/${query}`, { unix: role.pages })
      return (await answer.json()) as KeeperSays
    } catch {
      return undefined // none listens at present
    }
  }

  return {
    ...{ url, port, starter, ask, keeper },
    /** Waits until so many workers are ready, to the keeper's knowledge. */
    ready: (isSo: (says: KeeperSays) => boolean = () => true) =>
      until('a group that is ready', async () => {
        const says = await keeper()
        const ready = says?.living.filter(({ isReady }) => isReady)
        return says && ready?.length === workers && isSo(says) ? says : undefined
      }),
    /** Signals the starter, waits for its end; gives what all have written. */
    async end(signal: NodeJS.Signals | null = 'SIGTERM') {
      if (signal) starter.kill(signal)
      const exitCode = await starter.exited
      const [stdout, stderr] = await output
      return { exitCode, stdout, stderr }
    },
    async [Symbol.asyncDispose]() {
      starter.kill('SIGTERM')
      await starter.exited
    },
  }
}
