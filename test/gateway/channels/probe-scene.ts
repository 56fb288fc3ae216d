import { buildCatalog, type Channel } from '../../../src/catalog/catalog.ts'
import { createHealth } from '../../../src/gateway/channels/health.ts'
import { createLoad } from '../../../src/gateway/channels/load.ts'
import { createProber } from '../../../src/gateway/channels/probe.ts'
import { createOutbound } from '../../../src/gateway/outbound/outbound.ts'
import { createLogger } from '../../../src/lib/log.ts'
import type { ChannelWrite } from '../../../src/store/ports/admin.ts'
import { channelWrite, groupWrite, now, priceWrite } from '../../store/support.ts'
import { openStore } from '../../support/empty-store.ts'
import { createFakeTime } from '../limits/limit-scene.ts'

/** What a test says of a channel; it is probed every minute for `small`, unless it says otherwise. */
export interface ProbedChannel extends Partial<ChannelWrite> {
  readonly keys?: readonly string[]
  readonly proxy?: string
}

export const upstreamKeys = ['upstream-key-1', 'upstream-key-2']

const sealed = (text: string) => new TextEncoder().encode(text)
const opened = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** A prober with a real store, health and load over the channels c1, c2 … of one group, in fake time. */
export async function createProbeScene(channels: readonly ProbedChannel[], random = () => 0.5) {
  const time = createFakeTime()
  const clock = () => now + Math.floor(time.tick())
  const lines: Record<string, unknown>[] = []
  const sink = (line: string) => void lines.push(JSON.parse(line))
  const log = createLogger({ sink, pretty: false, clock, level: 'info' })
  const store = await openStore(clock)

  async function change(next: readonly ProbedChannel[]): Promise<void> {
    const writes = next.map(({ keys = upstreamKeys, proxy, ...changes }, at) => ({
      ...channelWrite({ name: `c${at + 1}`, allowPrivate: true, ...changes }),
      probe: changes.probe === undefined ? { everyMs: 60_000, model: 'small' } : changes.probe,
      keysSealed: sealed(JSON.stringify(keys)),
      proxySealed: proxy === undefined ? null : sealed(proxy),
    }))
    const models = new Set(writes.flatMap((write) => write.models.map(({ id }) => id)))
    await store.admin.write({
      channels: writes,
      groups: [groupWrite({ channels: writes.map(({ name }) => name) })],
      prices: [...models].map((model) => priceWrite(model, { unit: 'free' })),
      ...{ accounts: [], tokens: [] },
    })
    const rows = await store.catalog.load()
    catalog = buildCatalog(rows, (keys) => JSON.parse(opened(keys)), opened)
  }
  let catalog = buildCatalog({ channels: [], groups: [], prices: [] }, () => [], opened)
  await change(channels)

  const load = createLoad(time.tick)
  const keyMark = (key: string) => `mark-of-${key.at(-1)}`
  const health = createHealth({ clock, tick: time.tick, store: store.health, keyMark, log })
  const begun: (readonly [channel: string, second: number])[] = []
  const startTick = time.tick()
  const watched: typeof health = {
    ...health,
    begin(channel, key, model) {
      begun.push([channel.name, (time.tick() - startTick) / 1_000])
      return health.begin(channel, key, model)
    },
  }
  const prober = createProber({
    ...{ catalog: () => catalog, outbound: createOutbound({ env: {} }), load, health: watched },
    ...{ clock, tick: time.tick, log, random, repeat: time.repeat },
  })
  function channel(id = 1): Channel {
    const found = catalog.channels.get(id)
    if (found === undefined) throw new Error(`No channel ${id}.`)
    return found
  }
  return {
    ...{ time, load, health, prober, change },
    /** Every probe, as soon as it begins, with the seconds since the scene began. */
    begun,
    /** What the log says of probes. */
    lines: () => lines.filter(({ message }) => String(message).startsWith('probe')),
    channel,
    /** The first channel's model cools for five minutes, for all keys. */
    cool(name: string) {
      const use = health.begin(channel(), upstreamKeys[0] ?? '', 'small-1')
      const cools = { scope: 'model', strikes: 1, baseMs: 300_000, capMs: 300_000 } as const
      health.failed(use, { name, cools })
      health.ended(use)
    },
    async [Symbol.asyncDispose]() {
      await prober.stop()
      await health.flush()
      await store.close()
    },
  }
}
