import { type Borrower, createBorrower } from '../../leases/borrower.ts'
import type { Lease, LeaseWish } from '../../leases/messages.ts'
import type { Clock } from '../../lib/clock.ts'
import type { LeaseSource } from '../../store/ports/records.ts'

/** What a running request holds of the lease of its account. */
interface Covered {
  readonly accountId: number
  nano: number
}

/** The leases of this process, and which of its requests they cover. */
export type Leases = ReturnType<typeof createLeases>

/** `commitWishes`: wishes must not wait for the next batch. */
export function createLeases(source: LeaseSource, tick: Clock, commitWishes: () => void) {
  const borrower: Borrower = createBorrower()
  const covered = new Map<string, Covered>()

  source.onRecall((accountIds) => {
    borrower.recalled(accountIds, tick())
    commitWishes()
  })
  source.onLost(borrower.lost)
  source.onOwed?.(borrower.owed)

  const take = (accountId: number, nano: number) =>
    source.mayBegin() && borrower.take(accountId, nano, tick())

  return {
    /** For the lender to other processes. */
    borrower,
    /** Covers a new request; false: the store decides. */
    cover(requestId: string, accountId: number, nano: number): boolean {
      if (!take(accountId, nano)) return false
      covered.set(requestId, { accountId, nano })
      return true
    },
    /** Covers more of a request that is covered; false: the store decides. */
    coverMore(requestId: string, byNano: number): boolean {
      const one = covered.get(requestId)
      if (one === undefined || !take(one.accountId, byNano)) return false
      one.nano += byNano
      return true
    },
    /** What of a cost the lease pays; undefined: the request is not covered. */
    leasedOf(requestId: string, costNano: number): number | undefined {
      const one = covered.get(requestId)
      return one && Math.min(one.nano, costNano)
    },
    /** Nano-USD; undefined: the request is not covered. */
    coveredNano: (requestId: string): number | undefined => covered.get(requestId)?.nano,
    /** The end of the request is stored, or the store has reserved what was covered. */
    uncover(requestId: string): void {
      const one = covered.get(requestId)
      if (one === undefined) return
      covered.delete(requestId)
      borrower.release(one.accountId, one.nano)
    },
    /** The account is short: what is unused goes back with the next batch. */
    recall: (accountId: number): void => borrower.recalled([accountId], tick()),
    hasWishes: borrower.hasWishes,
    wishes: (): readonly LeaseWish[] => borrower.wishes(tick()),
    failed: borrower.failed,
    /** After `uncover` for what the same commit has ended. */
    answered: (leases: readonly Lease[]): void => borrower.answered(leases, tick()),
    /** Returns what is idle; to be called each `restMs`. */
    restMs: 1_000,
    rest(): void {
      borrower.rest(tick())
      commitWishes()
    },
    /** At the end: returns all that is unused. */
    returnAll(): void {
      borrower.returnAll(tick())
      commitWishes()
    },
  }
}
