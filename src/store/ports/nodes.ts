/** A process that serves from a store, as the others see it. */
export interface NodeView {
  readonly id: number
  /** Where it runs, for people. */
  readonly name: string
  readonly version: string
  /** Milliseconds since 1970 (UTC), by the clock of the store. */
  readonly startedAt: number
  /** When it was last heard of, … */
  readonly seenAt: number
  /** … and how long ago that is, in milliseconds, by the clock of the store. */
  readonly silentMs: number
  /** Whether it was heard of within `silentNodeMs`. */
  readonly isAlive: boolean
  readonly load: NodeLoad
}

/** What a node is doing. What a node of another version does not tell is absent. */
export interface NodeLoad {
  /** Under way, streams included. */
  readonly requests?: number
  readonly streams?: number
  /** That came within the last minute. */
  readonly requestsPerMinute?: number
  /** It builds the documents that all nodes serve. */
  readonly leads?: boolean
  readonly counting?: Counting
}

/**
 * How a node counts limits: `together` with the other nodes; `apart`, within its share, until the
 * counters that it shares with them are within reach; or `alone`, for it has no shared counters.
 */
export type Counting = 'together' | 'apart' | 'alone'

/** What nodes have set aside. */
export interface NodeReservations {
  /** Null: of a process that is in no list. */
  readonly nodeId: number | null
  readonly requests: number
  readonly amountNano: number
}

/**
 * After so long without a word a node counts as dead, and its reservations are closed. One that was
 * only cut off and comes back with what it has delivered is charged for it all the same.
 */
export const silentNodeMs = 30_000

/** The processes that serve from a store. */
export interface NodeStore {
  /**
   * Enters a node; resolves to its id. What it sets aside is in its name. One that was forgotten while
   * it lived gives the id that it had: what it has set aside since stays its own.
   */
  register(node: Pick<NodeView, 'name' | 'version'> & { readonly id?: number }): Promise<number>
  /** Says that it lives; false when it is in the list no more and must register again. */
  heartbeat(id: number, load: NodeLoad): Promise<boolean>
  /** Oldest first. */
  list(): Promise<readonly NodeView[]>
  /** What is set aside now, by node; dead ones may have something left for some seconds. */
  reservations(): Promise<readonly NodeReservations[]>
  /**
   * Takes one out of the list that has ended, or that will not come back: `seenAt` is when it was heard
   * of as far as the caller knows; one that was heard of since stays.
   */
  forget(id: number, seenAt?: number): Promise<void>
  /**
   * Closes the reservations of nodes that are dead or not in the list: their requests are recorded as
   * interrupted, uncharged; gives how many. Those made within `silentNodeMs` stay: only a node that
   * lives, and is about to say so, can have made them. For any node, at any time. Nothing to do where
   * one process alone can serve: it did so when it began (`RecordStore.sweep`).
   */
  sweepDead(): Promise<number>
}
