import type { AccountView, AuditEntry, TokenView } from './admin.ts'
import type {
  AttemptRow,
  LedgerEntry,
  LedgerKind,
  Span,
  StoredRequest,
  TokenCounts,
  TokenUsed,
} from './records.ts'
import type { SplitFilter, UsageSplit } from './usage-split.ts'

/** Too many lists are being read at once: the same question may be asked again in some seconds. */
export class ListsBusy extends Error {
  override readonly name = 'ListsBusy'
}

/** A cursor that no list of this kind has given. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor'
}

export interface PageAsked {
  /** `next` of the page before; absent: the first page. */
  readonly cursor?: string | undefined
  readonly size: number
  /** False: `total` is set only where it is known without counting, else 0 and not exact. */
  readonly isCounted?: boolean
  /** From the first that was stored on, or the first name; absent: from the last on. */
  readonly isAscending?: boolean | undefined
}

/** A page of a list that has an index of names, too. */
export interface NamedPageAsked extends PageAsked {
  /** In order of code points; absent: in the order in which rows were stored. */
  readonly isByName?: boolean | undefined
}

export interface Listed<Row> {
  readonly rows: readonly Row[]
  /** How many rows there are in all, counted to 10,000 at most. */
  readonly total: number
  /** False: there are more, or counting them took too long. */
  readonly totalIsExact: boolean
  /** Cursor to go on with; null: this is the end. */
  readonly next: string | null
  /**
   * Set when the time for looking ended: all since then is found (ascending: all before). Null: nothing is left
   * out, or the order is not that of time.
   */
  readonly searchedBackTo: number | null
}

/** `failed`: all that have a cause, also those whose client left. */
type OutcomeFilter = 'succeeded' | 'failed' | 'any'

/** All given conditions must hold. Names are compared byte for byte. */
export interface RequestFilter extends Span {
  readonly accountId?: number
  readonly tokenId?: number
  readonly group?: string
  readonly model?: string
  readonly channel?: string
  readonly outcome?: OutcomeFilter
  readonly cause?: string
  readonly status?: number
  readonly clientProtocol?: string
  readonly requestId?: string
}

/** A request as lists show it; `id` is its row: what ended later has a larger one. */
export interface ListedRequest extends Omit<StoredRequest, 'usageRaw' | 'stateJson'> {
  /** Signed amount of the ledger entry that charged it; null: nothing was charged. */
  readonly ledgerAmountNano: number | null
}

export interface ListedAttemptFilter extends Pick<Span, 'since'> {
  readonly channel?: string
  readonly outcome?: OutcomeFilter
  readonly cause?: string
}

export interface ListedAttempt extends Omit<AttemptRow, 'usageRaw'> {
  readonly requestId: string
  /** Place among the attempts of its request, from 0. */
  readonly position: number
  readonly channel: string
  readonly model: string | null
  readonly account: string
  readonly accountId: number
}

export interface LedgerFilter extends Span {
  readonly accountId?: number
  readonly kinds?: readonly LedgerKind[]
}

export interface AuditFilter extends Pick<Span, 'since'> {
  readonly actor?: string
  /** Beginning of the action: `token.`, `account.credit`. */
  readonly action?: string
  readonly subject?: string
}

export interface AccountFilter {
  /** Part of the e-mail, in any case. */
  readonly search?: string
  readonly role?: AccountView['role']
  readonly status?: AccountView['status']
  readonly isOverdrawn?: boolean
}

export interface ListedTokenFilter {
  readonly accountId?: number
  readonly group?: string
  readonly status?: TokenView['status']
  /** Part of the name or of the key's hint, in any case. */
  readonly search?: string
}

export interface ListedToken extends Omit<TokenView, 'keyHash' | 'keySealed'>, TokenUsed {
  readonly accountId: number
}

/** Which daily sums: both days are included. */
export interface UsageFilter {
  readonly accountId?: number
  readonly tokenId?: number
  readonly sinceDay: string
  readonly untilDay: string
  /** So many models have rows of their own, those that cost most; default 12. */
  readonly models?: number
}

export interface UsageSums extends TokenCounts {
  readonly requests: number
  /** Null: not known, for a day that a former version has counted. */
  readonly failed: number | null
  readonly amountNano: number
  /** Mean time to the first byte; null: not known, or none began to answer. */
  readonly firstByteMs: number | null
}

export interface DayUsage extends UsageSums {
  readonly day: string
}

/** Sums of a UTC day and a model; '' stands for requests whose model had no price. */
export interface ModelDayUsage extends DayUsage {
  readonly model: string
  /** True for the row (its `model` is `other`) of all models that have none of their own. */
  readonly isOther: boolean
}

export interface NewRequests {
  readonly rows: readonly ListedRequest[]
  /** Row to ask from the next time. */
  readonly lastRow: number
}

/** A ledger entry, and what it was for. */
export interface ListedEntry extends LedgerEntry {
  /** The model of a charge; null: none, or its request is no longer kept. */
  readonly model: string | null
}

/** Pages, sums and exports, in short steps. May reject with `ListsBusy`; lists with `BadCursor`. */
export interface ListStore {
  requests(filter: RequestFilter, page: PageAsked): Promise<Listed<ListedRequest>>
  attempts(filter: ListedAttemptFilter, page: PageAsked): Promise<Listed<ListedAttempt>>
  ledger(filter: LedgerFilter, page: PageAsked): Promise<Listed<ListedEntry>>
  audit(filter: AuditFilter, page: PageAsked): Promise<Listed<AuditEntry>>
  /** By name: by e-mail. */
  accounts(filter: AccountFilter, page: NamedPageAsked): Promise<Listed<AccountView>>
  /** Live tokens, with what was spent by now; by name those of one account. */
  tokens(filter: ListedTokenFilter, page: NamedPageAsked): Promise<Listed<ListedToken>>
  /** In order of day, and within a day what cost most first. */
  usage(filter: UsageFilter): Promise<readonly ModelDayUsage[]>
  /** The same by day alone, of the whole gateway. Up to half a minute old. */
  totals(sinceDay: string, untilDay: string): Promise<readonly DayUsage[]>
  /** Usage of hours or days, told apart by one thing; of the whole gateway up to half a minute old. */
  split(filter: SplitFilter): Promise<UsageSplit>
  /** In the order in which they ended, a page in memory. Rejects with the signal's reason. */
  exportRequests(filter: RequestFilter, signal?: AbortSignal): AsyncIterable<ListedRequest>
  exportLedger(filter: LedgerFilter, signal?: AbortSignal): AsyncIterable<LedgerEntry>
  /** Requests that ended after that of a row; `undefined`: none, only where to begin. */
  newRequests(
    sinceRow: number | undefined,
    accountId: number | undefined,
    limit: number,
  ): Promise<NewRequests>
}
