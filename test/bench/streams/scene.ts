import { readdirSync, readFileSync } from 'node:fs'
import { residentBytes, startBinary } from '../../support/binary.ts'
import { freePort } from '../../support/free-port.ts'
import { speaksAt, testKey, tollgateYaml } from '../../support/tollgate-yaml.ts'
import type { LoadQuestions, Way } from './load.ts'
import { type Part, pinnedTo, startPart } from './part.ts'
import type { UpstreamQuestions } from './upstream.ts'

/** What the streams go through: the gateway with so many workers (1: one process), or a proxy that does nothing else. */
export type Through = { readonly workers: number } | 'bare'

/** The cores of each process; undefined: wherever the system puts it. */
export interface Cores {
  readonly gateway: number | undefined
  readonly others: number | undefined
}

/** All processes of the measurement. */
export interface Scene extends AsyncDisposable {
  readonly upstream: Part<UpstreamQuestions>
  readonly load: Part<LoadQuestions>
  readonly upstreamPort: number
  readonly cores: Cores
  readonly through: Through
}

/** What stands between, with all its processes. */
export interface Gateway extends AsyncDisposable {
  readonly port: number
  cpuSeconds(): number
  residentBytes(): number
  /** The gateway's database and what it says; undefined: it keeps no books. */
  readonly books?: { readonly cwd: string; readonly stdout: readonly string[] }
}

export async function startScene(cores: Cores, through: Through = { workers: 1 }): Promise<Scene> {
  const upstream = startPart<UpstreamQuestions>('upstream.ts', cores.others)
  const load = startPart<LoadQuestions>('load.ts', cores.others)
  return {
    upstream,
    load,
    upstreamPort: await upstream.ask('port', undefined as never),
    ...{ cores, through },
    async [Symbol.asyncDispose]() {
      await load[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

/** Starts what stands before the scene's upstream; it has answered some requests already. */
export async function startGateway(scene: Scene): Promise<Gateway> {
  const { through } = scene
  const gateway = await (through === 'bare'
    ? startBare(scene)
    : startProgram(scene, through.workers))
  // What the first requests of a process make it load is not the streams'.
  await openStreams(scene, 'gateway', gateway.port, warmingStreams)
  await endStreams(scene)
  return gateway
}

async function startProgram({ cores, upstreamPort }: Scene, workers: number): Promise<Gateway> {
  const upstream = `http://127.0.0.1:${upstreamPort}`
  const binary = await startBinary({
    args: ['serve', '--log', 'json'],
    through: pinnedTo(cores.gateway),
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream, balance: 1_000_000, server: { workers } },
        channel: {
          speaks: speaksAt(upstream, ['chat']),
          timeouts: { idle: '3600s', first_byte: '3600s', total: '24h' },
        },
      }),
  })
  return {
    port: binary.port,
    books: binary,
    ...usageOf(binary.pid),
    [Symbol.asyncDispose]: binary[Symbol.asyncDispose],
  }
}

async function startBare({ cores, upstreamPort }: Scene): Promise<Gateway> {
  const port = await freePort()
  const file = `${import.meta.dir}/../bare-proxy.ts`
  const command = [process.execPath, file, String(port), `http://127.0.0.1:${upstreamPort}`]
  const child = Bun.spawn([...pinnedTo(cores.gateway), ...command], {
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
    stdout: 'pipe',
  })
  await child.stdout.getReader().read() // it listens
  return {
    ...{ port, ...usageOf(child.pid) },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

const usageOf = (pid: number) => ({
  cpuSeconds: () => sumOf(familyOf(pid), cpuSeconds),
  residentBytes: () => sumOf(familyOf(pid), residentBytes),
})

/** A process and all that it has started. */
export function familyOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))]
}

export const sumOf = (pids: readonly number[], read: (pid: number) => number): number =>
  pids.reduce((sum, pid) => sum + read(pid), 0)

const warmingStreams = 200

type Others = Pick<Scene, 'upstream' | 'load'>

/** Opens so many streams; gives how long that took, in milliseconds. */
export function openStreams({ load }: Others, way: Way, port: number, count: number) {
  return load.ask('open', { way, port, key: testKey, count })
}

/** Lets the upstream end all streams, and waits for it; gives how each way's ended. */
export async function endStreams({ upstream, load }: Others) {
  await upstream.ask('finish', undefined as never)
  const end = performance.now() + endMs
  for (;;) {
    const gateway = await load.ask('stats', 'gateway')
    const direct = await load.ask('stats', 'direct')
    if (gateway.open + direct.open === 0 || performance.now() > end) {
      for (const way of ['gateway', 'direct'] as const) await load.ask('clear', way)
      await upstream.ask('rate', 0 as never)
      return { gateway, direct }
    }
    await Bun.sleep(50)
  }
}

const endMs = 20_000
const ticksPerSecond = 100

/** Processor time that a process has used so far, in seconds. */
export function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
