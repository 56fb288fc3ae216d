import type { LedgerEntry, LedgerKind, RequestRow } from './records.ts'

/** What `verify` reads: each page is one short snapshot, which does not disturb a running gateway. */
export interface VerificationStore {
  /** What the store's own checks find. Deep: every page, and cells with invalid values. */
  checkFile(isDeep: boolean): AsyncIterable<Page<FileFault>>
  /** The cheap part, for the start of a gateway; of a file only. */
  checkSoon(signal: AbortSignal): Promise<readonly FileFault[]>
  /** The rows that a verification covers: all, or those since a time. */
  extent(since: number | undefined): Promise<Extent>
  /** In the order in which they were stored. */
  requests(extent: Extent): AsyncIterable<Page<CheckedRequest>>
  /** Account by account, in the order in which they were made. */
  entries(extent: Extent): AsyncIterable<Page<CheckedEntry>>
  /** Requests whose attempts are not numbered 0, 1, 2 …, and attempts of no request. */
  oddAttempts(extent: Extent): AsyncIterable<Page<OddAttempts>>
  /** Daily sums that are not those of their requests, then totals that are not those of the tokens. */
  oddDays(extent: Extent): AsyncIterable<Page<OddDay>>
  /** Balances that do not fit the newest entry, of accounts that `entries` does not give. */
  oddBalances(extent: Extent): AsyncIterable<Page<OddSum>>
  /** Accounts whose sum of reservations and leases is not the one that they carry. */
  oddReserved(): AsyncIterable<Page<OddSum>>
  /** Stored spendings of tokens that are not the sums of their days and reservations. */
  oddSpendings(): AsyncIterable<Page<OddSpending>>
  /** Ids of requests that have ended and still have a reservation. */
  leftReservations(): AsyncIterable<Page<string>>
  /** Background answers that are neither charged nor pending, that are both, or overdue. */
  oddBackground(extent: Extent): AsyncIterable<Page<OddBackground>>
  price(id: number): Promise<PriceInTime | undefined>
  /** Charges by other prices of its model, in the order in which they were made. */
  usesAround(price: Pick<PriceInTime, 'id' | 'validFrom'>): Promise<PriceUses>
  counts(): Promise<{ readonly accounts: number; readonly reservations: number }>
}

/** Some rows, and how many rows of the table were looked at for them. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly looked: number
}

/** What a verification covers, as row ids: from the first of a span to the last. */
export interface Extent {
  /** Requests that arrived before are left out; undefined: none are. */
  readonly since: number | undefined
  readonly firstRequest: number
  readonly lastRequest: number
  readonly firstEntry: number
  readonly lastEntry: number
}

export type FileFault =
  /** A check that the database, or its server, does not offer. */
  | { readonly kind: 'unchecked'; readonly text: string }
  /** Its pages or indexes contradict each other; an empty table: of none. */
  | { readonly kind: 'damage'; readonly table: string; readonly text: string }
  /** A row holds what its table forbids. */
  | { readonly kind: 'forbidden'; readonly table: string; readonly text: string }
  /** A row refers to one that does not exist. */
  | {
      readonly kind: 'dangling'
      readonly table: string
      readonly row: string
      readonly column: string
      readonly value: string
      readonly parent: string
    }

/** Of a request, what its charge has nothing to do with. */
export const uncheckedFields = [
  ...['groupId', 'upstreamModel', 'channelId', 'operation', 'stream', 'status', 'cause'],
  ...['causeText', 'firstByteMs', 'stateJson'],
] as const
type Unchecked = (typeof uncheckedFields)[number]

export interface CheckedRequest extends Omit<RequestRow, Unchecked> {
  readonly row: number
  /** The account that the token belongs to; null: there is no such token. */
  readonly tokenAccountId: number | null
  /** Of the ledger entry with this request's id; null: there is none. */
  readonly entryId: number | null
  readonly entryKind: LedgerKind | null
  readonly entryAccountId: number | null
  readonly entryAmountNano: number | null
  /** When it was charged, by the clock of that moment. */
  readonly entryCreatedAt: number | null
  /** The client disconnected after the upstream began to answer, and not even a call was counted. */
  readonly leftUncounted: boolean
}

export interface CheckedEntry
  extends Pick<LedgerEntry, 'id' | 'kind' | 'amountNano' | 'balanceAfterNano' | 'requestId'> {
  readonly accountId: number
  /** Null: there is no such account. */
  readonly email: string | null
  readonly hasRequest: boolean
  /** On the first entry of each account: the balance before it, 0 when there was none. */
  readonly beforeNano: number | null
  /** The account's balance when this entry was read; null: there is no such account. */
  readonly balanceNano: number | null
}

export interface OddAttempts {
  readonly requestRow: number
  /** Null: there is no such request. */
  readonly requestId: string | null
  readonly count: number
  readonly lowest: number
  readonly highest: number
}

/** Whole numbers of a daily sum; the last three are NULL where a former program has counted the day. */
export const dayColumns = [
  ...['requests', 'input_tokens', 'output_tokens', 'reasoning_tokens', 'cache_read_tokens'],
  ...['cache_write_tokens', 'cache_write_1h_tokens', 'amount_nano'],
  ...['failed', 'begun', 'first_byte_ms'],
] as const
export type DayColumn = (typeof dayColumns)[number]
export type DaySums = { readonly [column in DayColumn]: number }

export interface OddDay {
  /** Null: the sum of all tokens. */
  readonly tokenId: number | null
  readonly day: string
  /** '' for models that had no price. */
  readonly model: string
  /** Null: there is no such row. */
  readonly stored: DaySums | null
  /** The sums of its requests; null: there are no such requests. */
  readonly summed: DaySums | null
}

export interface OddBackground {
  /** `lost`: of the request that asked for it; else of the charge. */
  readonly requestId: string
  readonly fault: 'lost' | 'charged' | 'overdue'
}

export interface OddSum {
  readonly accountId: number
  readonly email: string
  readonly storedNano: number
  readonly expectedNano: number
}

/** In all, in the month of a UTC day, on that day, and reserved, in nano-USD. */
type SpendingSums = readonly [total: number, month: number, day: number, reserved: number]

export interface OddSpending {
  readonly tokenId: number
  readonly day: string
  readonly stored: SpendingSums
  readonly summed: SpendingSums
}

/** A price as it is stored, and when the next one of its model took its place; null: it holds. */
export interface PriceInTime {
  readonly id: number
  readonly model: string
  readonly terms: string
  readonly validFrom: number
  readonly replacedAt: number | null
}

/** A request that was charged; its row says when it was stored, whatever the clock did. */
export interface ChargedUse {
  readonly row: number
  readonly createdAt: number
  readonly durationMs: number
}

/** Only requests that were charged within `steadyMs` of their end, and in order. */
export interface PriceUses {
  /** The last one by an older price that had ended when this price came. */
  readonly lastBefore: ChargedUse | undefined
  /** The first one by a newer price. */
  readonly firstAfter: ChargedUse | undefined
}

/** How far clocks may differ, and how late a charge may be, in milliseconds. */
export const steadyMs = 10_000
