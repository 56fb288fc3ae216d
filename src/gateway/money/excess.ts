import { LRUCache } from 'lru-cache'
import type { Candidate } from '../../catalog/catalog.ts'
import { growing } from '../../lib/cache-options.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Dearer, RequestRow } from '../../store/ports/records.ts'

/** By how much dearer than reckoned answers have turned out lately. */
export interface Excess {
  /**
   * What a request may cost beyond its estimate, in nano-USD: as many times as others of its
   * account or model did, but never more than one of them did.
   */
  of(accountId: number, candidates: readonly Candidate[], mostNano: number): number
  /** What a charge tells that is not known yet; undefined: nothing. */
  newsOf(request: Charged, mostNano: number): Dearer | undefined
  note(news: Dearer): void
}

type Charged = Pick<RequestRow, 'accountId' | 'channelId' | 'upstreamModel' | 'amountNano'>

interface Seen extends Pick<Dearer, 'factor' | 'byNano'> {
  readonly atTick: number
}

const maxEntries = 10_000
const maxFactor = 1_000
/** What is above 1 is halved in this time, in milliseconds. */
const halfLifeMs = 3_600_000
/** Less is not remembered, nor what is so little more than what is known. */
const leastExcess = 0.01

export function createExcess(tick: Clock): Excess {
  const seen = new LRUCache<string, Seen>(growing(maxEntries))

  function knownOf(name: string): Omit<Seen, 'atTick'> | undefined {
    const known = seen.get(name)
    if (known === undefined) return undefined
    const rest = 0.5 ** ((tick() - known.atTick) / halfLifeMs)
    const above = (known.factor - 1) * rest
    if (above >= leastExcess) return { factor: 1 + above, byNano: known.byNano * rest }
    seen.delete(name)
    return undefined
  }

  return {
    of(accountId, candidates, mostNano) {
      if (seen.size === 0) return 0
      const names = candidates.map(({ channel, upstreamModel }) =>
        ofModel(channel.id, upstreamModel),
      )
      const each = [ofAccount(accountId), ...names].map((name) => {
        const known = knownOf(name)
        return known ? Math.min(mostNano * (known.factor - 1), known.byNano) : 0
      })
      return Math.ceil(Math.max(...each))
    },
    newsOf({ accountId, channelId, upstreamModel, amountNano }, mostNano) {
      const factor = Math.min(maxFactor, amountNano / mostNano)
      if (!(factor >= 1 + leastExcess)) return undefined
      const byNano = amountNano - mostNano
      const news = { accountId, channelId, upstreamModel, factor, byNano }
      return namesOf(news).some((name) => isMore(news, knownOf(name))) ? news : undefined
    },
    note(news) {
      for (const name of namesOf(news)) {
        const known = knownOf(name) ?? asReckoned
        seen.set(name, {
          factor: Math.max(Math.min(maxFactor, news.factor), known.factor),
          byNano: Math.max(news.byNano, known.byNano),
          atTick: tick(),
        })
      }
    },
  }
}

const asReckoned = { factor: 1, byNano: 0 }

function isMore({ factor, byNano }: Dearer, known = asReckoned): boolean {
  const margin = 1 + leastExcess
  return factor - 1 > (known.factor - 1) * margin || byNano > known.byNano * margin
}

const namesOf = ({ accountId, channelId, upstreamModel }: Dearer) => [
  ofAccount(accountId),
  ofModel(channelId, upstreamModel),
]
const ofAccount = (accountId: number) => `account ${accountId}`
const ofModel = (channelId: number | null, upstreamModel: string | null) =>
  `channel ${channelId} ${upstreamModel}`
