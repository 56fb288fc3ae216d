import { type Borrower, createBorrower } from '../../leases/borrower.ts'
import type { Lease, LeaseWish } from '../../leases/messages.ts'
import { type Purse, purseOfAccount, purseOfBudget } from '../../leases/purse.ts'
import type { Clock } from '../../lib/clock.ts'
import type { LeaseSource, Settlement } from '../../store/ports/records.ts'

/** Whose money a request spends. `budgetOf`: the token, where it has a budget. */
export interface Payer {
  readonly accountId: number
  readonly budgetOf?: number | undefined
}

/** What a running request holds of the lease of its account and, as much, of that of a budget. */
interface Covered {
  readonly account: Purse
  readonly budget: Purse | undefined
  nano: number
  /** Of that, what its settlement pays: 0 before it is sent. */
  payingNano: number
}

/** The leases of this process, and which of its requests they cover. */
export type Leases = ReturnType<typeof createLeases>

/** `commitWishes`: wishes must not wait for the next batch. */
export function createLeases(source: LeaseSource, tick: Clock, commitWishes: () => void) {
  const borrower: Borrower = createBorrower()
  const covered = new Map<string, Covered>()

  source.onRecall((purses) => {
    borrower.recalled(purses, tick())
    commitWishes()
  })
  source.onLost(borrower.lost)
  source.onOwed?.(borrower.owed)

  function pay(one: Covered, nano: number): void {
    borrower.pay(one.account, nano - one.payingNano)
    if (one.budget !== undefined) borrower.pay(one.budget, nano - one.payingNano)
    one.payingNano = nano
  }

  /** Of both or of none; what lacks is noted of both. */
  function take({ account, budget }: Pick<Covered, 'account' | 'budget'>, nano: number): boolean {
    if (!source.mayBegin()) return false
    const now = tick()
    const isPaid = borrower.take(account, nano, now)
    if (budget === undefined) return isPaid
    const isAllowed = borrower.take(budget, nano, now)
    if (isPaid && isAllowed) return true
    if (isPaid) borrower.release(account, nano)
    if (isAllowed) borrower.release(budget, nano)
    return false
  }

  return {
    /** For the lender to other processes. */
    borrower,
    /** Covers a new request; false: the store decides. */
    cover(requestId: string, { accountId, budgetOf }: Payer, nano: number): boolean {
      const account = purseOfAccount(accountId)
      const budget = budgetOf === undefined ? undefined : purseOfBudget(budgetOf)
      const one = { account, budget, nano, payingNano: 0 }
      if (!take(one, nano)) return false
      covered.set(requestId, one)
      return true
    },
    /** Covers more of a request that is covered; false: the store decides. */
    coverMore(requestId: string, byNano: number): boolean {
      const one = covered.get(requestId)
      if (one === undefined || !take(one, byNano)) return false
      one.nano += byNano
      return true
    },
    /** A settlement that is sent, with what of its cost the leases pay where they cover the request. */
    leased(settlement: Settlement): Settlement {
      const { requestId, amountNano } = settlement.request
      const one = covered.get(requestId)
      if (one === undefined) return settlement
      const leasedNano = Math.min(one.nano, amountNano)
      pay(one, leasedNano)
      if (one.budget === undefined) return { ...settlement, leasedNano }
      return { ...settlement, leasedNano, budgetLeasedNano: leasedNano }
    },
    /** Nano-USD; undefined: the request is not covered. */
    coveredNano: (requestId: string): number | undefined => covered.get(requestId)?.nano,
    /** The end of the request is stored, or the store has reserved what was covered. */
    uncover(requestId: string): void {
      const one = covered.get(requestId)
      if (one === undefined) return
      covered.delete(requestId)
      pay(one, 0)
      borrower.release(one.account, one.nano)
      if (one.budget !== undefined) borrower.release(one.budget, one.nano)
    },
    /** They are short: what is unused goes back with the next batch. */
    recall: (purses: readonly Purse[]): void => borrower.recalled(purses, tick()),
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
