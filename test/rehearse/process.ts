import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf, requireBinary } from '../support/binary.ts'
import { heedingLimits } from '../support/disk-trouble.ts'
import { freezeFamily, killFamily, readGroup, wakeFamily } from '../support/processes.ts'
import type { RehearsedNode } from './world.ts'

/** A process of the program, whose log is read by another one, which may stop reading. */
export interface LoggedNode extends RehearsedNode, AsyncDisposable {
  /** Who reads its log does not read on. */
  stallLog(): void
  readLog(): void
  /** How processes ended that nobody ended. */
  readonly surprises: readonly string[]
}

export interface NodeOptions {
  readonly name: string
  readonly folder: string
  readonly port: number
  readonly configFile: string
  readonly env?: Readonly<Record<string, string>>
}

/** So long a stop may take: the 5 s of `shutdown_grace`, what settling and closing may take, and some. */
const stopMs = 40_000

export function createNode(options: NodeOptions): LoggedNode {
  const { name, folder, port, configFile } = options
  const url = `http://127.0.0.1:${port}`
  const logFile = join(folder, `${name}.log`)
  const pipe = join(folder, `${name}.pipe`)
  spawnSync('mkfifo', [pipe])
  // Open for both, so that its reader does not end with the node.
  const pipeEnd = openSync(pipe, constants.O_RDWR)
  const reader = Bun.spawn(['sh', '-c', 'exec cat <"$0" >>"$1"', pipe, logFile], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const readNews = createTail(logFile)
  const errorEnd = openSync(`${logFile}.stderr`, 'a')
  const readErrors = createTail(`${logFile}.stderr`)
  const lines: string[] = []
  const surprises: string[] = []
  let child: Bun.Subprocess | undefined
  let isMeant = false

  async function end(signal: NodeJS.Signals): Promise<number> {
    const ending = child
    if (ending === undefined) return 0
    isMeant = true
    if (signal === 'SIGKILL') await killFamily(ending.pid)
    else ending.kill(signal)
    return await ending.exited
  }

  return {
    name,
    url,
    surprises,
    pid: () => child?.pid,
    processes: () => child && readGroup(child.pid),
    isUp: () => child !== undefined,
    async start({ env = {}, binary = requireBinary() } = {}) {
      if (child !== undefined) return
      isMeant = false
      const args = ['serve', '--log', 'json', '--config', configFile]
      const started = Bun.spawn([...heedingLimits, binary, ...args], {
        cwd: folder,
        env: { ...(await environmentOf(args)), ...options.env, ...env },
        stdio: ['ignore', pipeEnd, errorEnd],
      })
      child = started
      void started.exited.then((code) => {
        if (child === started) child = undefined
        if (!isMeant) surprises.push(`${name} ended by itself: ${started.signalCode ?? code}`)
      })
    },
    async kill(signal = 'SIGKILL') {
      await end(signal)
    },
    async stop() {
      let isLate = false
      const lastResort = setTimeout(() => {
        isLate = true
        if (child) void killFamily(child.pid)
      }, stopMs)
      const code = await end('SIGTERM').finally(() => clearTimeout(lastResort))
      if (isLate) throw new Error(`${name} did not end within ${stopMs / 1000} s of SIGTERM`)
      return code
    },
    freeze: () => void (child && freezeFamily(child.pid)),
    wake: () => child && wakeFamily(child.pid),
    log() {
      lines.push(...readNews().filter(isWorthKeeping), ...readErrors())
      return lines
    },
    stallLog: () => reader.kill('SIGSTOP'),
    readLog: () => reader.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      reader.kill('SIGCONT')
      await end('SIGKILL')
      closeSync(pipeEnd)
      closeSync(errorEnd)
      reader.kill()
      await reader.exited
    },
  }
}

/** The kernel deals connections out to workers: with so many for each one all of them are asked. */
const looksEach = 4

/** Whether it may be sent requests, as a load balancer asks it: by each of its workers. */
export async function isNodeReady(
  { url }: { readonly url: string },
  workers = 1,
): Promise<boolean> {
  const looks = workers === 1 ? 1 : looksEach * workers
  const found = await Promise.all(Array.from({ length: looks }, () => isOneReady(url)))
  return found.every(Boolean)
}

async function isOneReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, {
      ...{ proxy: false, keepalive: false, signal: AbortSignal.timeout(5_000) },
    })
    await answer.body?.cancel()
    return answer.status === 200
  } catch {
    return false // nobody listens
  }
}

/** A line for each request would be most of it, in two hours. */
const isWorthKeeping = (line: string) => !line.includes('"level":"info"')

/** Reads what a file has grown by, in whole lines. */
function createTail(path: string): () => string[] {
  const file = openSync(path, constants.O_RDONLY | constants.O_CREAT, 0o600)
  const chunk = Buffer.alloc(1 << 16)
  const decoder = new TextDecoder()
  let rest = ''
  return () => {
    let text = rest
    for (;;) {
      const size = readSync(file, chunk)
      if (size === 0) break
      text += decoder.decode(chunk.subarray(0, size), { stream: true })
    }
    const found = text.split('\n')
    rest = found.pop() ?? ''
    return found
  }
}
