import type { Way } from './load.ts'
import { cpuSeconds, type Gateway, type Scene } from './scene.ts'

/** Milliseconds. */
export interface Spread {
  readonly p50: number
  readonly p99: number
  readonly highest: number
}

/** What the streams of one way got in a stretch of time. */
export interface Got {
  readonly streams: number
  readonly events: number
  /** Of what was due. */
  readonly share: number
  /** From the upstream's sending to the client's reading. */
  readonly delayMs: Spread
  /** Between two events of a stream; the highest is the longest silence of any. */
  readonly gapMs: Spread
  readonly lost: number
  readonly repeated: number
  readonly broken: readonly string[]
}

/** One stretch of time. */
export interface Stretch {
  readonly rate: number
  readonly seconds: number
  readonly ways: Readonly<Partial<Record<Way, Got>>>
  /** How late the upstream's own timer was at most, and how often it gave up what was due. */
  readonly upstreamLateMs: number
  readonly upstreamSkipped: number
  /** Processor seconds for each second. */
  readonly cpu: { readonly gateway: number; readonly upstream: number; readonly load: number }
  /** Processor seconds of the gateway for each event that came through it; null without any. */
  readonly cpuPerEvent: number | null
}

/** Watches the open streams for so long. */
export async function measure(
  { upstream, load }: Scene,
  between: Pick<Gateway, 'cpuSeconds'> | undefined,
  { rate, seconds, ways }: { rate: number; seconds: number; ways: readonly Way[] },
): Promise<Stretch> {
  for (const way of ways) await load.ask('stats', way)
  await upstream.ask('stats', undefined as never)
  const read = () => ({
    tick: performance.now(),
    gateway: between?.cpuSeconds() ?? 0,
    upstream: cpuSeconds(upstream.pid),
    load: cpuSeconds(load.pid),
  })
  const before = read()
  await Bun.sleep(seconds * 1000)
  const after = read()
  const took = (after.tick - before.tick) / 1000
  const got: Partial<Record<Way, Got>> = {}
  for (const way of ways) {
    const { open: streams, events, ...rest } = await load.ask('stats', way)
    const { delayMs, gapMs, lost, repeated, broken } = rest
    const due = streams * rate * took
    got[way] = {
      ...{ streams, events, share: due === 0 ? 1 : events / due },
      ...{ delayMs, gapMs, lost, repeated, broken },
    }
  }
  const { latestMs, moved } = await upstream.ask('stats', undefined as never)
  const used = (name: 'gateway' | 'upstream' | 'load') => after[name] - before[name]
  const events = got.gateway?.events ?? 0
  return {
    rate,
    seconds: took,
    ways: got,
    upstreamLateMs: latestMs,
    upstreamSkipped: moved,
    cpu: {
      gateway: used('gateway') / took,
      upstream: used('upstream') / took,
      load: used('load') / took,
    },
    cpuPerEvent: events === 0 ? null : used('gateway') / events,
  }
}

/** Whether all that was due came, soon enough that nothing piles up. */
export function keepsUp({ ways }: Stretch): boolean {
  return Object.values(ways).every(
    ({ share, delayMs, broken }) =>
      share > 0.99 && delayMs.p99 < keptUpMs && delayMs.highest < stalledMs && broken.length === 0,
  )
}

const keptUpMs = 200
const stalledMs = 2_000
