import { LRUCache } from 'lru-cache'
import type { Candidate } from '../catalog/catalog.ts'
import { growing } from '../lib/cache-options.ts'
import type { Clock } from '../lib/clock.ts'
import type { RequestRow } from '../store/ports/records.ts'

/**
 * How many times as dear as reckoned answers have turned out: an upstream may overlook limits, or count
 * too much, and an account may have found out how to ask for that.
 */
export interface Excess {
  /** The largest of an account and of the models on the channels that may answer it; 1: as reckoned. */
  of(accountId: number, candidates: readonly Candidate[]): number
  /** Notes what a request has come to, and what it was reckoned to come to at the most. */
  note(request: Charged, mostNano: number): void
}

type Charged = Pick<RequestRow, 'accountId' | 'channelId' | 'upstreamModel' | 'amountNano'>

interface Seen {
  readonly factor: number
  readonly atTick: number
}

const maxEntries = 10_000
const maxFactor = 1_000
/** What is above 1 is halved in this time, in milliseconds. */
const halfLifeMs = 3_600_000
/** Less is not remembered. */
const leastExcess = 0.01

/** Remembers in memory; `tick` is monotonic, in milliseconds. */
export function createExcess(tick: Clock): Excess {
  const seen = new LRUCache<string, Seen>(growing(maxEntries))

  function factorOf(name: string): number {
    const known = seen.get(name)
    if (known === undefined) return 1
    const above = (known.factor - 1) * 0.5 ** ((tick() - known.atTick) / halfLifeMs)
    if (above >= leastExcess) return 1 + above
    seen.delete(name)
    return 1
  }

  return {
    of(accountId, candidates) {
      if (seen.size === 0) return 1
      const names = candidates.map(({ channel, upstreamModel }) =>
        ofModel(channel.id, upstreamModel),
      )
      return Math.max(...[ofAccount(accountId), ...names].map(factorOf))
    },
    note({ accountId, channelId, upstreamModel, amountNano }, mostNano) {
      const factor = Math.min(maxFactor, amountNano / mostNano)
      if (!(factor >= 1 + leastExcess)) return
      for (const name of [ofAccount(accountId), ofModel(channelId, upstreamModel)]) {
        seen.set(name, { factor: Math.max(factor, factorOf(name)), atTick: tick() })
      }
    },
  }
}

const ofAccount = (accountId: number) => `account ${accountId}`
const ofModel = (channelId: number | null, upstreamModel: string | null) =>
  `channel ${channelId} ${upstreamModel}`
