import type { Settlement } from './records.ts'

/** What of a spool a person should look at: see `Spool.remark`. */
export type SpoolRemark = 'damaged' | 'refused' | 'missing'

/** Settlements that the store did not take, synced on this node's disk until it does. */
export interface Spool {
  /** Resolves when all of them would outlive a power cut; rejects when they would not. */
  add(settlements: readonly Settlement[]): Promise<void>
  has(requestId: string): boolean
  /** The store has these now. */
  stored(requestIds: Iterable<string>): void
  /** One that the store can never take goes into a file of its own, for a person to look at. */
  setAside(settlement: Settlement, reason: string): Promise<void>
  /** How many wait. */
  count(): number
  /** Whether the last that it was given did not fit, or could not be written. */
  hasFailed(): boolean
  /** `damaged`: a part can't be read. `refused`: by the store, for good. `missing`: no folder. */
  remark(): SpoolRemark | undefined
}
