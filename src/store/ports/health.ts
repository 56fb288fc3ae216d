/** What cools: a part of a channel, for a while. Times are milliseconds since 1970 (UTC). */
export interface CoolingRow {
  readonly channelId: number
  /** Mark of the one key that is meant (a keyed hash, shortened); empty: all keys of the channel. */
  readonly key: string
  /** The upstream's name of the one model that is meant; empty: all models of the channel. */
  readonly model: string
  /** The class of the failure that began it, or that prolonged it. */
  readonly cause: string
  readonly since: number
  readonly until: number
  /** How many times in a row it was begun: what the back-off is reckoned from. */
  readonly rounds: number
}

/** Which row is meant. */
export type CoolingId = Pick<CoolingRow, 'channelId' | 'key' | 'model'>

/** The health of channels, as it outlives the process. */
export interface HealthStore {
  /** All that cools, of live channels. */
  load(): Promise<readonly CoolingRow[]>
  /** Writes what has begun or changed, and removes what has ended, in one transaction. */
  save(changed: readonly CoolingRow[], ended: readonly CoolingId[]): Promise<void>
  /** Ends all cooling of a channel: the operator says that it is well. Returns how many rows went. */
  clear(channelId: number): Promise<number>
}
