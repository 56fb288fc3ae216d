import type { AttemptRow, TokenCounts } from './records.ts'

/** What an upstream reports of one request; null: unknown. */
export interface BilledRow {
  readonly id: string
  readonly time: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cachedTokens: number | null
  readonly costNano: number | null
}

/** One id of the upstream's file, its lines added up. */
export interface BilledTotal extends BilledRow {
  readonly lines: number
}

/** Disjoint counts, but for `reasoningTokens`, which is part of `outputTokens`. */
export type OwnCounts = Omit<TokenCounts, 'cacheWrite1hTokens'>

export interface OwnAttempt extends OwnCounts, Pick<AttemptRow, 'startedAt' | 'status' | 'cause'> {
  readonly upstreamId: string
  readonly requestId: string
  readonly channel: string
  readonly model: string | null
  readonly estimated: boolean
  /** What the request was charged; 0 for all but its last attempt. */
  readonly amountNano: number
  /** True when the upstream must have it in its file. */
  readonly isExpected: boolean
}

/** One upstream id, our attempts with it added up. */
export interface OwnTotal extends Omit<OwnAttempt, 'isExpected'> {
  readonly attempts: number
}

export interface Difference {
  readonly billed: BilledTotal
  readonly own: OwnTotal
}

/** Which of our counts the upstream calls input, and which output. */
export interface CountForm {
  readonly input: 'all' | 'without_cache_reads' | 'uncached'
  readonly output: 'all' | 'without_reasoning'
}

/** Sums over some ids; null: unknown. Sums of money may exceed 2^53. */
export interface BilledSums {
  readonly ids: number
  readonly lines: number
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cachedTokens: number | null
  readonly costNano: bigint | null
}

export interface OwnSums extends OwnCounts {
  readonly ids: number
  readonly attempts: number
  readonly amountNano: bigint
}

export interface MatchingSums {
  readonly form: CountForm
  readonly billed: BilledSums
  /** Ids that came in several lines of the file, and were added up. */
  readonly repeatedIds: number
  readonly matched: { readonly billed: BilledSums; readonly own: OwnSums }
  readonly unknownToUs: BilledSums
  readonly notBilled: OwnSums
  readonly differing: number
}

/** Two sides of any size, side by side by upstream id, in a temporary file of their own. */
export interface Matching {
  addBilled(rows: readonly BilledRow[]): void
  /** After all that is billed. False: it is neither billed nor expected, so it was left out. */
  addOwn(attempt: OwnAttempt): boolean
  /** Finds the form in which most counts agree, and adds up. */
  compare(): MatchingSums
  /** Oldest first; without a limit all. */
  unknownToUs(limit?: number): Iterable<BilledTotal>
  notBilled(limit?: number): Iterable<OwnTotal>
  differing(form: CountForm, limit?: number): Iterable<Difference>
  close(): void
}
