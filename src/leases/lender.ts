import type { Borrower } from './borrower.ts'
import { grant } from './grant.ts'
import type { Lease, LeaseWish } from './messages.ts'
import type { Purse } from './purse.ts'

/** A wish gets at most this part of the spare capital: others wish, too. */
const shareOfSpare = 2

/** One connection of a worker: what it holds of the keeper's leases. */
export interface Loan {
  /**
   * When a batch arrives: takes its returns, and learns what is lacking. False: the loan has ended, and
   * the batch must be dropped: a living worker sends it again on its new connection, where it owes for it.
   */
  arrived(wishes: readonly LeaseWish[], now: number): boolean
  /**
   * When a settlement arrives: gives how much of it the lease covers. It is the keeper's to settle: it
   * stays in use until `release` of the keeper's own borrower.
   */
  settled(purse: Purse, leasedNano: number): number
  /** The settlement was not stored; the worker is told so. False: it is gone, the keeper stores it. */
  failed(purse: Purse, coveredNano: number): boolean
  /** To be called when its batch is committed. Grants its wishes; returns its leases on these purses, and on those it wished for. */
  granted(wishes: readonly LeaseWish[], purses: Iterable<Purse>, now: number): readonly Lease[]
  /** What of a purse it holds. */
  leaseNano(purse: Purse): number
  /** The worker has died, or speaks on a new connection: all it held is free. */
  end(): void
}

/**
 * Lends to workers what the process itself has borrowed: `capital`. What workers hold is in use there;
 * what is too little for them is wished for by the capital's next batch.
 */
export function createLender(capital: Borrower) {
  const loans = new Set<Loan>()

  /** A worker says on a new connection what it owes; wishes up to `no` are void. Ends an earlier loan before. */
  function joined(owed: readonly Lease[], no: number): Loan {
    const loan = createLoan(capital, owed, no, () => loans.delete(loan))
    loans.add(loan)
    return loan
  }

  return {
    joined,
    /** Those that hold some of a purse's money: they return it when that is short. */
    holders: (purse: Purse): readonly Loan[] =>
      [...loans].filter((loan) => loan.leaseNano(purse) > 0),
    /** All leases have ended, by `lost` of the capital: each worker must join anew, with what it owes. */
    lost(): void {
      for (const loan of [...loans]) loan.end()
      capital.lost()
    },
  }
}

function createLoan(
  capital: Borrower,
  owed: readonly Lease[],
  voidNo: number,
  onEnd: () => void,
): Loan {
  const leases = new Map<Purse, Lease>()
  let isOver = false

  const leaseOf = (purse: Purse): Lease => leases.get(purse) ?? { purse, leaseNano: 0, no: voidNo }

  const lower = (lease: Lease, byNano: number): void => {
    leases.set(lease.purse, { ...lease, leaseNano: lease.leaseNano - byNano })
  }

  function giveBack(wish: LeaseWish): void {
    const before = leaseOf(wish.purse)
    const after = grant(before, wish, 0)
    leases.set(wish.purse, after)
    capital.release(wish.purse, before.leaseNano - after.leaseNano)
  }

  function lend(wish: LeaseWish, now: number): void {
    const { purse } = wish
    const before = leaseOf(purse)
    const after = grant(before, wish, capital.spareNano(purse), shareOfSpare)
    const grownNano = after.leaseNano - before.leaseNano
    if (wish.isOwed) capital.owe(purse, grownNano)
    else if (grownNano > 0) capital.take(purse, grownNano, now)
    leases.set(purse, after)
  }

  for (const lease of owed) {
    leases.set(lease.purse, lease)
    capital.owe(lease.purse, lease.leaseNano)
  }

  return {
    arrived(wishes, now) {
      if (isOver) return false
      for (const wish of wishes) {
        if (wish.byNano < 0) giveBack(wish)
        else if (wish.byNano > 0) capital.want(wish.purse, shareOfSpare * wish.byNano, now)
      }
      return true
    },
    settled(purse, leasedNano) {
      const lease = leaseOf(purse)
      const coveredNano = Math.min(lease.leaseNano, leasedNano)
      if (coveredNano > 0) lower(lease, coveredNano)
      return coveredNano
    },
    failed(purse, coveredNano) {
      if (!isOver) lower(leaseOf(purse), -coveredNano)
      return !isOver
    },
    granted(wishes, purses, now) {
      if (isOver) return []
      for (const wish of wishes) if (wish.byNano >= 0) lend(wish, now)
      const named = new Set(purses)
      for (const { purse } of wishes) named.add(purse)
      return [...named].map(leaseOf)
    },
    leaseNano: (purse) => leaseOf(purse).leaseNano,
    end() {
      if (isOver) return
      isOver = true
      onEnd()
      for (const { purse, leaseNano } of leases.values()) capital.release(purse, leaseNano)
    },
  }
}
