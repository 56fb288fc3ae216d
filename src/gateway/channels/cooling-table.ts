import type { Channel } from '../../catalog/catalog.ts'
import { addTo } from '../../lib/add-to.ts'
import type { CoolingId, CoolingRow } from '../../store/ports/counters.ts'
import type { Cooling } from '../failures/failures.ts'

export interface CoolingEntry {
  readonly id: CoolingId
  /** Failures in a row, ended by an answer that begins well. */
  strikes: number
  /** Answers in a row that broke after a good beginning. */
  breaks: number
  /** The number of its last cooldown: uses begun before it say nothing new. */
  cooldownNo: number
  row: CoolingRow | undefined
  /** When the cooldown ends and one half-open probe may try. */
  endsTick: number
  trial: object | undefined
  trialTick: number
  touchedTick: number
}

/** A unique text of an id; a mark holds no space. */
export const idText = ({ channelId, key, model }: CoolingId): string =>
  `${channelId} ${key} ${model}`

/** Changes of cooldowns that are to be written: the latest of each entry. */
export function createCoolingChanges() {
  type Changes = Map<string, { readonly row: CoolingRow; readonly hasEnded: boolean }>
  let pending: Changes = new Map()
  return {
    note: (row: CoolingRow, hasEnded: boolean) => pending.set(idText(row), { row, hasEnded }),
    has: (text: string): boolean => pending.has(text),
    /** Writes all; the changes of a failed write stay, but for those that were replaced meanwhile. */
    async write(
      to: (rows: readonly CoolingRow[], ended: readonly CoolingRow[]) => Promise<unknown>,
    ): Promise<Changes> {
      const batch = pending
      if (batch.size === 0) return batch
      pending = new Map()
      const changes = [...batch.values()]
      try {
        await to(
          changes.flatMap(({ row, hasEnded }) => (hasEnded ? [] : row)),
          changes.flatMap(({ row, hasEnded }) => (hasEnded ? row : [])),
        )
        return batch
      } catch (error) {
        pending = new Map([...batch, ...pending])
        throw error
      }
    },
  }
}

const maxEntries = 10_000

/** Cooling entries by channel, key and model: bounded, and empty for healthy channels. */
export function createCoolingTable(onForgotten: (entry: CoolingEntry) => void) {
  const entries = new Map<string, CoolingEntry>()
  const counts = new Map<number, number>()

  function remove(entry: CoolingEntry): void {
    if (entries.delete(idText(entry.id))) addTo(counts, entry.id.channelId, -1)
  }

  return {
    has: (channelId: number): boolean => counts.has(channelId),
    get: (id: CoolingId): CoolingEntry | undefined => entries.get(idText(id)),
    /** The entries that apply to a key (by its mark) and a model: four at most. */
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
        strikes: 0,
        breaks: 0,
        cooldownNo: 0,
        row: undefined,
        endsTick: 0,
        trial: undefined,
        trialTick: 0,
        touchedTick: 0,
      }
      entries.set(idText(entry.id), entry)
      addTo(counts, channelId, 1)
      return entry
    },
    delete: remove,
    all: (): Iterable<CoolingEntry> => entries.values(),
  }
}

export interface HealthFailure {
  readonly name: string
  readonly cools: Cooling | null
  readonly retryAfterMs?: number | undefined
}

/** A half-open probe without a result by then lets another one try. */
const trialMs = 60_000
const leastRetryMs = 1_000
const mostRetryMs = 3_600_000
/** How long strikes count, and how long an ended cooldown waits for its half-open probe. */
const strikesMs = 600_000
const passedMs = 3_600_000

/** When an entry lets requests through: its cooldown has ended and no half-open probe runs. */
export function freeTick(entry: CoolingEntry, now: number): number {
  if (entry.row === undefined) return now
  return entry.trial && entry.endsTick <= now ? entry.trialTick + trialMs : entry.endsTick
}

export function isForgotten({ row, endsTick, touchedTick }: CoolingEntry, now: number): boolean {
  return now > (row ? endsTick + passedMs : touchedTick + strikesMs)
}

/** Bounds the wait that an upstream asks for. */
export const reasonable = (retryAfterMs: number): number =>
  Math.ceil(Math.min(Math.max(retryAfterMs, leastRetryMs), mostRetryMs))

/** The next cooldown: as the upstream asks; else exponential back-off, to a cap. */
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
  return { channelId: at.channel.id, key: isOfKey ? at.mark : '', model: isOfModel ? at.model : '' }
}
