import { type Static, Type } from '@sinclair/typebox'
import type { Lease, LeaseWish, Owed } from '../../leases/messages.ts'
import type { Purse } from '../../leases/purse.ts'
import type { BackgroundAnswer, KeptAnswer } from './answers.ts'
import type { PriceRow } from './catalog.ts'
import type { CoolingRow } from './counters.ts'

/** The rows of a model request. Times are milliseconds since 1970 (UTC), money is nano-USD. */

export type Ending =
  | 'complete'
  | 'incomplete'
  | 'failed'
  /** By the upstream, or out of money. */
  | 'cut'
  | 'client_left'
  | 'shutdown'
  | 'interrupted'
  | 'refused'
  /** It runs on upstream, and is charged when it ends, as its own request. */
  | 'background'

export interface TokenCounts {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly cacheWrite1hTokens: number
}

/** One model request, success or failure, as the gateway hands it over to be stored. */
export interface RequestRow extends TokenCounts {
  readonly requestId: string
  readonly createdAt: number
  readonly accountId: number
  readonly tokenId: number
  readonly groupId: number
  /** As the client wrote it; null when it never said. */
  readonly model: string | null
  readonly upstreamModel: string | null
  readonly channelId: number | null
  readonly clientProtocol: string
  readonly upstreamProtocol: string | null
  /** `completions`, `embeddings`, `generate` … */
  readonly operation: string
  readonly stream: boolean
  /** HTTP status that the client got, or would have got. */
  readonly status: number
  /** What went wrong (`model_not_found`, `upstream_timeout` …), and the error's message; null on success. */
  readonly cause: string | null
  readonly causeText: string | null
  readonly ending: Ending
  /** Per-call billing: how many calls were charged. */
  readonly calls: number
  /** True when the counts are our own estimate and not the upstream's report. */
  readonly estimated: boolean
  /** True when the upstream reported more than the model's context window can hold. */
  readonly clamped: boolean
  /** The upstream's own usage report, as JSON text. */
  readonly usageRaw: string | null
  /** `ChargedExtras` as JSON text; null or absent: only text tokens were charged, at the standard tier. */
  readonly extrasJson?: string | null
  readonly priceId: number | null
  /** The tier that was charged: the `above` it exceeded; null for the base tier. */
  readonly tierAbove: number | null
  /** False: the group charges the base tier, however long the context. */
  readonly longContextPricing: boolean
  readonly multiplierMillionths: number
  readonly amountNano: number
  readonly firstByteMs: number | null
  readonly durationMs: number
  /** `StateThen` as JSON text, for operators; null or absent: nothing is known beyond this row. */
  readonly stateJson?: string | null
}

/** What a failed request was judged by, as its process knew it then. */
export interface StateThen {
  /** Of a request that money was missing for. */
  readonly money?: {
    readonly balanceNano: number
    readonly creditLimitNano: number
    readonly budget: Readonly<Record<'totalNano' | 'dayNano' | 'monthNano', number | null>>
    /** By its token; null: it has no budget. */
    readonly spent: Spent | null
    /** The least that it could cost; null: it was not that far. */
    readonly neededNano: number | null
  }
  /** Cooldowns of its channels that had begun before it came. */
  readonly cooling?: readonly Pick<
    CoolingRow,
    'channelId' | 'key' | 'model' | 'cause' | 'since' | 'until'
  >[]
}

export interface AttemptRow {
  readonly channelId: number
  readonly startedAt: number
  /** Upstream's HTTP status; null when there was none. */
  readonly status: number | null
  /** Failure class (`connect_failed`, `upstream_rate_limited` …); null on success. */
  readonly cause: string | null
  readonly firstByteMs: number | null
  readonly durationMs: number
  readonly upstreamRequestId: string | null
  readonly usageRaw: string | null
  /** Which of its channel's keys was used, as a keyed hash, for operators; null or absent: not known. */
  readonly keyMark?: string | null
}

/** Everything that one ended request writes, in one transaction. */
export interface Settlement {
  readonly request: RequestRow
  readonly attempts: readonly AttemptRow[]
  /** Ids by which a later request can refer to what was answered. */
  readonly kept?: readonly KeptAnswer[]
  /** The answer runs in the background: its reservation stays until its charge. */
  readonly begun?: BackgroundAnswer
  /** It is the charge of an answer that was made in the background. */
  readonly endsBackground?: boolean
  /** Its reservation was never handed to the store: none is to be released. */
  readonly neverReserved?: boolean
  /**
   * It was covered by this node's lease of its account, which falls by this much (to 0 at least), and
   * `reserved_nano` with it. At most the cost, and at most what the request held of the lease. Present,
   * if 0, for each request under a lease: `Committed.leases` then has it.
   */
  readonly leasedNano?: number
  /** Like `leasedNano`, for the lease of its token's budget. Absent: that lease did not cover it. */
  readonly budgetLeasedNano?: number
  /** Reported to all nodes when it is committed (`RecordStore.onOverrun`). */
  readonly overrun?: Overrun
}

/**
 * A reservation for a running request, so that its account can pay the cost. `amountNano` 0: nothing is
 * checked or reserved, for it costs nothing, or a lease covers it.
 */
export interface Reservation
  extends Pick<RequestRow, 'requestId' | 'createdAt' | 'accountId' | 'tokenId' | 'groupId'>,
    Pick<RequestRow, 'model' | 'clientProtocol' | 'operation' | 'stream' | 'priceId'>,
    Pick<RequestRow, 'multiplierMillionths' | 'amountNano'> {
  /** The cost may exceed it: an account has at most one such request at a time. */
  readonly isOpen?: boolean
}

/** More for a request that has a reservation already. */
export interface Growth {
  readonly requestId: string
  readonly accountId: number
  readonly tokenId: number
  readonly byNano: number
  /** The reservation before, as known, without what a lease covers: detects a repeated growth. */
  readonly fromNano?: number
}

/** What is ready to be stored at one moment; missing parts are empty. */
export interface Batch {
  /** From a process that is alone: it has decided on the budgets of tokens itself, as they were then. */
  readonly isAlone?: boolean
  readonly settle?: readonly Settlement[]
  /** Ids of requests that end without a record: their reservations are released. */
  readonly release?: readonly string[]
  /** At most one of each purse. */
  readonly leases?: readonly LeaseWish[]
  readonly reserve?: readonly Reservation[]
  readonly grow?: readonly Growth[]
}

export interface AccountFigures {
  readonly accountId: number
  readonly balanceNano: number
}

/** What a token with a budget has spent, as it was committed. */
export interface TokenSpending {
  readonly tokenId: number
  readonly spent: Spent
}

/** Charges of a token, in nano-USD: in all, and on its last UTC day and in that day's month. */
export interface Spent {
  readonly totalNano: number
  readonly dayNano: number
  readonly monthNano: number
  /** The UTC day that `dayNano` counts, `2026-11-21`. */
  readonly day: string
}

/** What was done with a token, by its daily sums. */
export interface TokenUsed {
  readonly spent: Spent
  /** The last UTC day on which it was used, `2026-11-21`; null: never. */
  readonly lastUsedDay: string | null
}

/** What can be too little for a request: the money of its account, or the budget of its token. */
export type MoneyLimit = 'balance' | 'budget'

export interface Committed {
  /** Requests that nothing was reserved for. `busy`: an open one of the account is under way. */
  readonly denied: ReadonlyMap<string, MoneyLimit | 'busy'>
  readonly accounts: readonly AccountFigures[]
  /** Of the tokens that were charged, those with a budget; others of the batch may be among them. */
  readonly tokens: readonly TokenSpending[]
  /** This node's leases of the purses of `Batch.leases`, and of those that its settlements are paid by. */
  readonly leases?: readonly Lease[]
  /** Purses too short for a request while leases of them are out, which are asked back: try again soon. */
  readonly recalled?: readonly Purse[]
}

/** Where a node's leases come from: what the lender reports beside its answers to batches. */
export interface LeaseSource {
  /** False: the node could be taken for dead. It begins nothing on its leases. */
  mayBegin(): boolean
  /** How much of the term of the leases has passed, in milliseconds; absent: they last as long as this process. */
  ageMs?(): number
  /** `listener` gets purses whose unused lease is wanted back at once. */
  onRecall(listener: (purses: readonly Purse[]) => void): void
  /** `listener` hears that all leases have ended, before `mayBegin` is true again. */
  onLost(listener: () => void): void
  /** Where the lender can forget: `owed` gives what it must know again, and voids the wishes before. */
  onOwed?(owed: () => Owed): void
}

export interface StoredRequest extends RequestRow {
  readonly id: number
  readonly account: string
  readonly token: string
  readonly group: string
  readonly channel: string | null
  readonly attemptCount: number
}

export interface StoredAttempt extends AttemptRow {
  readonly channel: string
}

export type LedgerKind = 'opening' | 'charge' | 'credit' | 'debit'

export interface LedgerEntry {
  readonly id: number
  readonly createdAt: number
  readonly account: string
  readonly kind: LedgerKind
  /** Signed: a charge is negative. */
  readonly amountNano: number
  readonly requestId: string | null
  readonly reason: string | null
  readonly balanceAfterNano: number
}

export interface ReceiptRows {
  readonly request: StoredRequest
  readonly attempts: readonly StoredAttempt[]
  readonly price: PriceRow | null
  /** The ledger entry that charged it, with its signed amount; null when nothing was charged. */
  readonly ledgerId: number | null
  readonly ledgerAmountNano: number | null
  readonly balanceAfterNano: number | null
}

/** A half-open span of time, in milliseconds since 1970; a missing end is unbounded. */
export interface Span {
  readonly since?: number
  readonly until?: number
}

export interface UsageTotals extends Omit<TokenCounts, 'reasoningTokens' | 'cacheWrite1hTokens'> {
  readonly requests: number
  readonly amountNano: number
}

export interface RecordStore {
  /** Several processes may serve from it: what one knows of a balance is a hint, until a commit. */
  readonly isShared: boolean
  /**
   * Milliseconds between the beginnings of two batches where many requests end at once, so that more share one;
   * absent: none.
   */
  readonly spacingMs?: number
  /**
   * Stores a batch in one transaction: settle, release, leases, reserve, grow. A stored request id is
   * skipped whole, unless a sweep recorded it. Money is reserved only where it is covered.
   */
  commit(batch: Batch): Promise<Committed>
  /** Absent: it lends nothing. */
  readonly leases?: LeaseSource
  /** Where the store is shared: `listener` gets `Settlement.overrun` of all nodes, before later commits. */
  onOverrun?(listener: (overrun: Overrun) => void): void
  /**
   * Records reservations as interrupted, of several nodes those of dead ones; gives how many. `held`: of
   * processes that live, these requests are under way.
   */
  sweep(held?: readonly string[]): Promise<number>
  /** An id of the database that copies and moves keep. Empty while there is no account. */
  origin(): Promise<string>
  /** Whose a token is, and when it was made; undefined: there is none of this id. */
  tokenOrigin(
    tokenId: number,
  ): Promise<{ readonly accountId: number; readonly createdAt: number } | undefined>
  /** In order of arrival, a page at a time: memory does not grow with the table. */
  exportRequests(span: Span): AsyncIterable<StoredRequest>
  exportLedger(span: Span): AsyncIterable<LedgerEntry>
  /** In order of their requests, a page at a time. */
  attempts(filter: AttemptFilter): AsyncIterable<AttemptRecord>
  receipt(requestId: string): Promise<ReceiptRows | undefined>
  /** Totals of one token since a UTC day (`2026-11-21`), or in all. From daily sums. */
  tokenUsage(tokenId: number, sinceDay?: string): Promise<UsageTotals>
}

/** By how much the cost of an answer exceeded its estimate. */
export const Overrun = Type.Object({
  accountId: Type.Integer(),
  channelId: Type.Union([Type.Integer(), Type.Null()]),
  upstreamModel: Type.Union([Type.String(), Type.Null()]),
  /** A multiple of the highest estimate. */
  factor: Type.Number({ minimum: 1 }),
  byNano: Type.Number({ minimum: 0 }),
})
export type Overrun = Static<typeof Overrun>

export interface AttemptRecord extends AttemptRow {
  readonly position: number
  /** True when the request's own record is that of this attempt: it was the last one. */
  readonly isLast: boolean
  readonly channel: string
  readonly request: TokenCounts &
    Pick<RequestRow, 'requestId' | 'model' | 'clientProtocol' | 'upstreamProtocol'> &
    Pick<RequestRow, 'estimated' | 'amountNano'>
}

/** Which attempts; a missing end of the span is unbounded. */
export interface AttemptFilter extends Span {
  readonly channelIds: readonly number[]
  /** How long before its attempts a request may have come. */
  readonly requestAgeMs: number
}

export type SpoolRemark = 'damaged' | 'refused' | 'missing'

/** Settlements that the store did not take, synced on this node's disk until it does. */
export interface Spool {
  /** Resolves when all of them would outlive a power cut; rejects when they would not. */
  add(settlements: readonly Settlement[]): Promise<void>
  has(requestId: string): boolean
  /** The store has these now. */
  stored(requestIds: Iterable<string>): void
  /** One that the store can never take goes into a file of its own, for a person to look at. */
  quarantine(settlement: Settlement, reason: string): Promise<void>
  count(): number
  /** Whether the last that it was given did not fit, or could not be written. */
  hasFailed(): boolean
  /** `damaged`: a part can't be read. `refused`: by the store, for good. `missing`: no folder. */
  remark(): SpoolRemark | undefined
}
