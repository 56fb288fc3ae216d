import type { Channel } from '../../catalog/catalog.ts'
import type { CoolingId } from '../../store/ports/health.ts'
import type { Cooling } from '../failures/failures.ts'
import type { CoolingEntry } from './cooling-table.ts'

/** What a failure does to health. */
export interface Blow {
  /** Its class. */
  readonly name: string
  /** Null: nothing cools for it. */
  readonly cools: Cooling | null
  /** How long the upstream has asked to wait. */
  readonly retryAfterMs?: number
}

/** A trial that has not told by then lets another one try. */
const trialMs = 60_000
/** What upstreams ask for is believed within these. */
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

/** What cools: everything that a failure of this scope speaks of. */
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
