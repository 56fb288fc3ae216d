import type { Catalog } from '../catalog/catalog.ts'
import type { Places } from '../gateway/admit/places.ts'
import type { RunningTotals } from '../gateway/availability/running-totals.ts'
import type { MemoryBudget } from '../gateway/memory/memory-budget.ts'
import type { CoolingRow } from '../store/ports/health.ts'
import type { NodeLoad } from '../store/ports/nodes.ts'
import type { Membership } from './nodes/membership.ts'

/** What the metrics are drawn from, at the moment they are asked for. */
export interface MetricsSource {
  readonly totals: Pick<RunningTotals, 'groups' | 'attempts' | 'limits' | 'refusals'>
  readonly catalog: () => Catalog
  readonly requestsInFlight: () => number
  /** Those of them whose answer is a stream that has begun. */
  readonly streamsInFlight: () => number
  /** Settlements that wait in the spool of this node. */
  readonly spooled: () => number
  /** What cools now. */
  readonly coolings: () => Iterable<Pick<CoolingRow, 'channelId'>>
  readonly memory: {
    readonly budget: Pick<MemoryBudget, 'totalBytes' | 'usedBytes' | 'waiting' | 'refused'>
  }
  readonly places: Pick<Places, 'refused'>
  /** How many accounts are overdrawn, a minute ago at most; undefined: not known yet. */
  readonly overdrawn: () => number | undefined
  /** What this process tells the others. */
  readonly load: () => NodeLoad
  /** Undefined: this process is the only one. */
  readonly membership: Pick<Membership, 'id' | 'known'> | undefined
}
