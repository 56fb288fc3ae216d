import type { UsageSums } from './lists.ts'

/** What usage can be told apart by. A token's account and group are those at the time of a request. */
export type SplitBy = 'model' | 'token' | 'account' | 'channel' | 'group'

export interface SplitFilter {
  /** Of one account; absent: of the whole gateway. */
  readonly accountId?: number
  readonly by: SplitBy
  readonly unit: 'hour' | 'day'
  /** Beginning of the first hour or UTC day, in milliseconds since 1970. */
  readonly since: number
  /** So many parts have rows of their own: those that cost most. */
  readonly parts: number
}

/** Sums that can be added: `firstByteMs` is the sum of those that began to answer, `begun` of them. */
export interface AddedSums extends Omit<UsageSums, 'firstByteMs'> {
  readonly begun: number | null
  readonly firstByteMs: number | null
}

/** Sums of an hour or a UTC day, by its beginning. */
export interface TimeSums extends AddedSums {
  readonly time: number
}

export interface PartSums extends TimeSums {
  /** The model, or the id of what else it is; '': a model without a price, or no channel. */
  readonly part: string
  /** What people know it by. */
  readonly name: string
}

export interface UsageSplit {
  /** Of all; times without a request have no row. */
  readonly totals: readonly TimeSums[]
  readonly parts: readonly PartSums[]
  /** How many parts there are in all; null: they were not counted. */
  readonly partCount: number
  /** Set when adding up took too long: only what came since then is in it. */
  readonly completeSince: number | null
}
