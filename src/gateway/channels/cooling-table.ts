import type { Channel } from '../../catalog/catalog.ts'
import type { CoolingId, CoolingRow } from '../../store/ports/counters.ts'
import type { Cooling } from '../failures/failures.ts'

/** What is remembered of a part of a channel that has failed lately. Ticks are milliseconds. */
export interface CoolingEntry {
  readonly id: CoolingId
  /** Failures in a row: without an answer that has begun well in between. */
  strikes: number
  /** Answers in a row that broke after they had begun well. */
  breaks: number
  /** The turn in which it cooled last: what was begun before that tells nothing new. */
  turn: number
  row: CoolingRow | undefined
  /** When `row` has passed, and one request may try. */
  endsTick: number
  /** Who tries, and since when. */
  trial: object | undefined
  trialTick: number
  touchedTick: number
}

/** One name for each id; a mark has no space in it. */
export const idText = ({ channelId, key, model }: CoolingId): string =>
  `${channelId} ${key} ${model}`

/** Of all channels together; beyond it the oldest are forgotten. */
const maxEntries = 10_000

/** Parts of channels by what is meant: bounded, and empty for channels that are well. */
export function createCoolingTable(onForgotten: (entry: CoolingEntry) => void) {
  const entries = new Map<string, CoolingEntry>()
  const counts = new Map<number, number>()

  function count(channelId: number, change: number): void {
    const sum = (counts.get(channelId) ?? 0) + change
    if (sum === 0) counts.delete(channelId)
    else counts.set(channelId, sum)
  }

  function remove(entry: CoolingEntry): void {
    if (entries.delete(idText(entry.id))) count(entry.id.channelId, -1)
  }

  return {
    /** Whether anything is remembered of a channel: what a request to a well one costs. */
    has: (channelId: number): boolean => counts.has(channelId),
    get: (id: CoolingId): CoolingEntry | undefined => entries.get(idText(id)),
    /** The entries that hold for a key (by its mark) and a model: four at most. */
    covering(channelId: number, key: string, model: string): readonly CoolingEntry[] {
      const found = []
      for (const ofKey of ['', key]) {
        for (const ofModel of ['', model]) {
          const entry = entries.get(idText({ channelId, key: ofKey, model: ofModel }))
          if (entry) found.push(entry)
        }
      }
      return found
    },
    add({ channelId, key, model }: CoolingId): CoolingEntry {
      const [oldest] = entries.size < maxEntries ? [] : entries.values()
      if (oldest) {
        remove(oldest)
        onForgotten(oldest)
      }
      const entry: CoolingEntry = {
        id: { channelId, key, model },
        ...{ strikes: 0, breaks: 0, turn: 0, row: undefined, endsTick: 0 },
        ...{ trial: undefined, trialTick: 0, touchedTick: 0 },
      }
      entries.set(idText(entry.id), entry)
      count(channelId, 1)
      return entry
    },
    delete: remove,
    all: (): Iterable<CoolingEntry> => entries.values(),
  }
}

/** What a failure does to health. */
export interface Blow {
  readonly name: string
  /** Null: nothing cools for it. */
  readonly cools: Cooling | null
  /** How long the upstream has asked to wait. */
  readonly retryAfterMs?: number
}

/** A trial that has not told by then lets another one try. */
const trialMs = 60_000
const leastRetryMs = 1_000
const mostRetryMs = 3_600_000
/** So long strikes count, and so long a cooling that has passed waits for its trial. */
const strikesMs = 600_000
const passedMs = 3_600_000

/** When an entry lets requests through: it has cooled, and nobody is trying. */
export function freeTick(entry: CoolingEntry, now: number): number {
  if (entry.row === undefined) return now
  return entry.trial && entry.endsTick <= now ? entry.trialTick + trialMs : entry.endsTick
}

/** Nobody has asked for it in a long time. */
export function isForgotten({ row, endsTick, touchedTick }: CoolingEntry, now: number): boolean {
  return now > (row ? endsTick + passedMs : touchedTick + strikesMs)
}

/** How long an upstream asks for, within reason. */
export const reasonable = (retryAfterMs: number): number =>
  Math.ceil(Math.min(Math.max(retryAfterMs, leastRetryMs), mostRetryMs))

/** How long the next cooling takes: as the upstream asks; else twice as long each time, to a cap. */
export function durationMs(cools: Cooling, entry: CoolingEntry, retryAfterMs?: number): number {
  if (retryAfterMs !== undefined) return reasonable(retryAfterMs)
  return Math.min(cools.capMs, cools.baseMs * 2 ** (entry.row?.rounds ?? 0))
}

export function idOf(
  { scope }: Cooling,
  at: { readonly channel: Channel; readonly mark: string; readonly model: string },
): CoolingId {
  const isOfKey = scope === 'key' || scope === 'key-model'
  const isOfModel = scope === 'model' || scope === 'key-model'
  return {
    channelId: at.channel.id,
    key: isOfKey ? at.mark : '',
    model: isOfModel ? at.model : '',
  }
}
