import type { Catalog } from '../catalog/catalog.ts'
import { createOrigins } from '../gateway/admit/origins.ts'
import { createBindings, createSharedBindings } from '../gateway/channels/bindings.ts'
import { createChooser } from '../gateway/channels/chooser.ts'
import { createCoolingShare } from '../gateway/channels/cooling-share.ts'
import { createHealth } from '../gateway/channels/health.ts'
import { createLoad } from '../gateway/channels/load.ts'
import { createProber } from '../gateway/channels/probe.ts'
import type { Limiter } from '../gateway/limits/limiter.ts'
import type { Outbound } from '../gateway/outbound/outbound.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { SecretBox } from '../lib/secrets.ts'
import type { Counters } from '../store/ports/counters.ts'
import type { Store } from '../store/ports/store.ts'

interface ChannelCareParts {
  readonly store: Pick<Store, 'health' | 'answers'>
  readonly secrets: SecretBox
  readonly catalog: () => Catalog
  readonly outbound: Outbound
  readonly limiter: Limiter
  /** Shared state of all nodes; undefined: this node keeps its own. */
  readonly counters: Counters | undefined
  /** Numbers in [0, 1). */
  readonly random: () => number
  /** Whether this process probes channels; default: yes. */
  readonly probes?: boolean | undefined
  /** Whether failing channels cool down. */
  readonly isCooling: () => boolean
  readonly clock: Clock
  readonly tick: Clock
  readonly log: Logger
}

export type ChannelCare = Awaited<ReturnType<typeof createChannelCare>>

/**
 * The state of channels and the chooser between them. Loads the stored state. Throws when the store can't be read.
 */
export async function createChannelCare(parts: ChannelCareParts) {
  const { store, secrets, catalog, outbound, limiter, random, clock, tick, log, counters } = parts
  const keyMark = createKeyMark(secrets)
  const share = counters && createCoolingShare(counters)
  const isOn = parts.isCooling
  const health = createHealth({ clock, tick, log, store: store.health, keyMark, isOn, share })
  await health.load()
  await health.refresh(catalog())
  share?.start(health)
  const load = createLoad(tick)
  const local = createBindings(tick)
  const keysOf = (channelId: number) => catalog().channels.get(channelId)?.keys ?? []
  const sharing = counters && { texts: counters, keyMark, keysOf }
  const shared = sharing && createSharedBindings({ ...sharing, local })
  const prober = createProber({ catalog, outbound, health, load, clock, tick, log, random })
  if (parts.probes !== false) prober.start()
  return {
    choose: createChooser({ health, limiter, load, random, tick, bindings: shared ?? local }),
    /** Reads a conversation's sticky binding before a channel is chosen; undefined: bindings are local. */
    refreshBinding: shared?.refresh,
    origins: createOrigins(store.answers, keyMark, keysOf),
    coolings: health.coolings,
    recover: health.recover,
    refresh: () => health.refresh(catalog()),
    async stop() {
      await prober.stop()
      await health.flush()
      await share?.stop()
    },
  }
}

/** Long enough that the keys of a channel never share a mark. */
const markLength = 16

/** So many marks are remembered. */
const mostMarks = 10_000

/** Names an upstream key without exposing it: a shortened keyed hash. */
export function createKeyMark({ keyedHash }: Pick<SecretBox, 'keyedHash'>) {
  const marks = new Map<string, string>()
  return (key: string): string => {
    const known = marks.get(key)
    if (known !== undefined) return known
    if (marks.size >= mostMarks) marks.clear()
    const mark = keyedHash(key).slice(0, markLength)
    marks.set(key, mark)
    return mark
  }
}
