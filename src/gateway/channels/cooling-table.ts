import type { CoolingId, CoolingRow } from '../../store/ports/health.ts'

/** What is remembered of a part of a channel that has failed lately. Ticks are milliseconds. */
export interface CoolingEntry {
  readonly id: CoolingId
  /** Failures in a row: without an answer that has begun well in between. */
  strikes: number
  /** Answers in a row that broke after they had begun well. */
  breaks: number
  /** The turn in which it cooled last: what was begun before that tells nothing new. */
  turn: number
  /** Undefined: it does not cool. */
  row: CoolingRow | undefined
  /** When `row` has passed, and one request may try. */
  endsTick: number
  /** Who tries, and since when. */
  trial: object | undefined
  trialTick: number
  touchedTick: number
}

/** Parts of channels by what is meant: bounded, and empty for channels that are well. */
export interface CoolingTable {
  /** Whether anything is remembered of a channel: what a request to a well one costs. */
  has(channelId: number): boolean
  get(id: CoolingId): CoolingEntry | undefined
  /** The entries that hold for a key (by its mark) and a model: four at most. */
  covering(channelId: number, key: string, model: string): readonly CoolingEntry[]
  add(id: CoolingId): CoolingEntry
  delete(entry: CoolingEntry): void
  all(): Iterable<CoolingEntry>
}

/** One name for each id; a mark has no space in it. */
export const idText = ({ channelId, key, model }: CoolingId): string =>
  `${channelId} ${key} ${model}`

/** Of all channels together; beyond it the oldest are forgotten. */
const maxEntries = 10_000

/** `onForgotten` is told of entries that were given up for the want of room. */
export function createCoolingTable(onForgotten: (entry: CoolingEntry) => void): CoolingTable {
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
    has: (channelId) => counts.has(channelId),
    get: (id) => entries.get(idText(id)),
    covering(channelId, key, model) {
      const found = []
      for (const ofKey of ['', key]) {
        for (const ofModel of ['', model]) {
          const entry = entries.get(idText({ channelId, key: ofKey, model: ofModel }))
          if (entry) found.push(entry)
        }
      }
      return found
    },
    add({ channelId, key, model }) {
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
    all: () => entries.values(),
  }
}
