import { readFileSync } from 'node:fs'
import { type RunningBinary, startBinary } from '../../support/binary.ts'
import { speaksAt, testKey, tollgateYaml } from '../../support/tollgate-yaml.ts'
import type { LoadQuestions, Way } from './load.ts'
import { type Part, pinnedTo, startPart } from './part.ts'
import type { UpstreamQuestions } from './upstream.ts'

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
}

export async function startScene(cores: Cores): Promise<Scene> {
  const upstream = startPart<UpstreamQuestions>('upstream.ts', cores.others)
  const load = startPart<LoadQuestions>('load.ts', cores.others)
  return {
    upstream,
    load,
    upstreamPort: await upstream.ask('port', undefined as never),
    cores,
    async [Symbol.asyncDispose]() {
      await load[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

/** The compiled program before the scene's upstream; it has answered some requests already. */
export async function startGateway({ cores, ...scene }: Scene): Promise<RunningBinary> {
  const gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    through: pinnedTo(cores.gateway),
    config: (listen) =>
      tollgateYaml({
        listen,
        upstream: `http://127.0.0.1:${scene.upstreamPort}`,
        balance: 1_000_000,
        channel: {
          speaks: speaksAt(`http://127.0.0.1:${scene.upstreamPort}`, ['chat']),
          timeouts: { idle: '3600s', first_byte: '3600s', total: '24h' },
        },
      }),
  })
  // What the first requests of a process make it load is not the streams'.
  await openStreams(scene, 'gateway', gateway.port, warmingStreams)
  await endStreams(scene)
  return gateway
}

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
