import type { Purse } from './purse.ts'

/**
 * A lease is money of a purse that a borrower may promise to requests without asking. The store lends
 * to nodes, a keeper to its workers, by the same two messages.
 */

/** A borrower's wish to change one lease. */
export interface LeaseWish {
  readonly purse: Purse
  /** Higher than in each earlier wish of the borrower: a lender ignores a wish that is not above the last. */
  readonly no: number
  /** By how much the lease is to grow; negative: this much is returned. */
  readonly byNano: number
  /** It is promised to requests already: granted whatever is free. */
  readonly isOwed?: true
}

/** What a borrower says to a lender that knows nothing of it, or too much. */
export interface Owed {
  /** What is promised to requests: the whole of each lease from now on. */
  readonly leases: readonly Lease[]
  /** Wishes up to this one are void, and so is what was owed with a lower one. */
  readonly no: number
}

/** A lender's answer: the whole lease as it is now. */
export interface Lease {
  readonly purse: Purse
  readonly leaseNano: number
  /** Of the last wish that it includes; 0: of none. */
  readonly no: number
}
