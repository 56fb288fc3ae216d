import type { Limits } from './catalog.ts'

/** What is counted: a name that is the same on all nodes, and its current limits. */
export interface Counted {
  readonly name: string
  readonly limits: Limits
}

export interface Shortage {
  /** Whose it is: the place in what was asked for. */
  readonly at: number
  readonly limit: keyof Limits
  /** How long as far as is known, in milliseconds. */
  readonly retryAfterMs: number
}

export interface Admission {
  readonly counted: readonly Counted[]
  readonly llmTokens: number
  /** Its name among all slots of all nodes. */
  readonly slot: string
}

/** Admitted, with the window's part that counts it; or all shortages. */
export type Admitted =
  | { readonly ok: true; readonly part: number }
  | { readonly ok: false; readonly shortages: readonly Shortage[] }

/** What is counted more, or less, in a part of a window. */
export interface Change {
  readonly name: string
  readonly part: number
  readonly requests: number
  readonly llmTokens: number
}

export interface HeldSlot {
  readonly name: string
  readonly slot: string
}

export interface Report {
  readonly changes?: readonly Change[]
  readonly freed?: readonly HeldSlot[]
  /** Slots that are still taken: their leases begin anew. */
  readonly kept?: readonly HeldSlot[]
}

/** Limits of requests and LLM tokens a minute, and of requests at once, over all nodes. */
export interface LimitCounters {
  /** Reserves all places, or none, atomically. */
  admit(admission: Admission): Promise<Admitted>
  /** Settles admitted requests, atomically; skips parts that have passed. */
  report(report: Report): Promise<void>
}

/** Requests and LLM tokens of the current minute, and slots, that a process may take without asking. */
export interface Stock {
  readonly requests: number
  readonly llmTokens: number
  readonly slots: number
}

/** What a holder has of one name. */
export interface HeldStock extends Counted {
  /** What is left. What it held before, and has not reported as taken, returns. */
  readonly rest: Stock
  /** Slots of its stock that requests hold: what was not lent counts all the same. */
  readonly open: number
  /** How much more is wished for. */
  readonly wish?: Stock
}

/** A holder reports one after another; one that was not answered it sends again, unchanged. */
export interface StockReport {
  /** Its name among all holders of all nodes. */
  readonly holder: string
  /** From 1. */
  readonly no: number
  /** The last recall that it has heard. */
  readonly heard: number
  /** Of those names that have changed. */
  readonly stocks: readonly HeldStock[]
  /** Taken from the stocks since the last report. */
  readonly taken: readonly Change[]
}

export interface StockAnswer {
  readonly lent: readonly (Stock & { readonly name: string })[]
  /** The holder is not known (any more): what it held counts as taken. */
  readonly isLost?: true
}

/** These are short: what is left of them is to be returned at once. */
export interface StockRecall {
  readonly no: number
  readonly names: readonly string[]
}

/** Lends small parts of what is free. What is lent counts as taken; without a report it does so after `leaseMs`. */
export interface StockLender {
  lend(report: StockReport): Promise<StockAnswer>
  onRecall(listener: (recall: StockRecall) => void): void
}

/** Short texts by name, each forgotten some time after its last use: an hour, or `keptMs`. */
export interface SharedTexts {
  get(name: string, keptMs?: number): Promise<string | undefined>
  set(name: string, text: string, keptMs?: number): Promise<void>
  /** Forgets a text, if it begins so. */
  drop(name: string, beginning: string): Promise<void>
}

export interface CoolingBoard {
  /** What has ended is taken off, unless it has begun anew since. */
  write(changed: readonly CoolingRow[], ended: readonly CoolingRow[]): Promise<void>
  /** All rows; undefined when nothing has changed since `version`. */
  read(
    version: string,
  ): Promise<{ readonly version: string; readonly rows: readonly CoolingRow[] } | undefined>
}

/** What all nodes count together. While it can't be reached every call rejects at once. */
export interface Counters extends LimitCounters, SharedTexts, CoolingBoard {
  isUnavailable(): boolean
  /** How many nodes count here, as last known; 1 at least. */
  nodes(): number
  /** The part of the window that a moment of this process's monotonic clock (ms) is in. */
  partAt(tick: number): number
  readonly leaseMs: number
  /** Undefined: each request asks. */
  readonly stocks?: StockLender | undefined
  /** Calls back when it can be reached again; `isEmpty`: it knows nothing of this node any more. */
  onBack(listener: (isEmpty: boolean) => void): void
  /** Unregisters this node at once. */
  close(): Promise<void>
}

/** A call to counters that can't be reached. It may have arrived all the same, if `isSent`. */
export class CountersUnavailable extends Error {
  override readonly name = 'CountersUnavailable'
  readonly isSent: boolean

  constructor(reason: string, isSent: boolean) {
    super(reason)
    this.isSent = isSent
  }
}

/** A cooldown of a part of a channel. Times are milliseconds since 1970 (UTC). */
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

export type CoolingId = Pick<CoolingRow, 'channelId' | 'key' | 'model'>

/** Cooldowns of channels, stored to outlive the process. */
export interface HealthStore {
  load(): Promise<readonly CoolingRow[]>
  /** Writes what has begun or changed, and removes what has ended, in one transaction. */
  save(changed: readonly CoolingRow[], ended: readonly CoolingId[]): Promise<void>
  /** Ends all cooldowns of a channel, for the operator. Returns how many there were. */
  clear(channelId: number): Promise<number>
}
