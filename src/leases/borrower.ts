import {
  changeOf,
  type Held,
  idleMs,
  isForgettable,
  isWanting,
  nothingHeld,
  owedOf,
  spareOf,
  useMs,
} from './held.ts'
import type { Lease, LeaseWish, Owed } from './messages.ts'
import type { Purse } from './purse.ts'

/** While a purse is short of money, its leases only shrink. */
const shortMs = 1_000
/** The first spare, as a multiple of the request that lacked one. */
const firstSpare = 4

export type Borrower = ReturnType<typeof createBorrower>

/**
 * The leases of one process: what it holds, what it uses, and what it wishes. Times are milliseconds of
 * one monotonic clock. What counts as held is never more than what the lender has lent.
 */
export function createBorrower() {
  const purses = new Map<Purse, Held>()
  const due: Held[] = []
  let lastNo = 0

  function heldOf(purse: Purse): Held {
    let held = purses.get(purse)
    if (held === undefined) {
      held = nothingHeld(purse, lastNo)
      purses.set(purse, held)
    }
    return held
  }

  function setDue(held: Held): void {
    if (held.isDue) return
    held.isDue = true
    due.push(held)
  }

  function miss(held: Held, nano: number, now: number): void {
    const isUse = now - held.missedAt < useMs
    held.missedAt = now
    if (isUse) aim(held, firstSpare * nano)
  }

  function aim(held: Held, spareNano: number): void {
    held.aimNano = Math.max(held.aimNano, spareNano)
    setDue(held)
  }

  /** Between two wishes a lease only falls: of answers that overtook each other the lower one is newer. */
  function answered(held: Held, { leaseNano, no }: Lease): void {
    if (no <= held.no) {
      // It is old, or a wish was done that was taken for lost.
      if (no === 0 && held.leaseNano > 0) {
        // The lender has ended it, which `lost` may say later; or had, when it gave an old answer.
        held.leaseNano = 0
        ask(held)
      } else if (leaseNano > held.leaseNano) ask(held)
      else if (no === held.no) held.leaseNano = leaseNano
      return
    }
    held.leaseNano = leaseNano
    held.no = no
    if (no >= held.returnedNo) held.returningNano = 0
    if (no < held.askedNo) return
    held.isUnsure = false
    held.wasTooLittle = held.isGrowing && spareOf(held) * 2 < held.aimNano
    if (held.wasTooLittle) held.aimNano = Math.floor(held.aimNano / 2)
    held.isGrowing = false
  }

  function wishOf(held: Held, now: number): LeaseWish | undefined {
    // Where it is unsure what is lent, that is asked first.
    const byNano = held.isUnsure ? 0 : changeOf(held, now)
    if (byNano === 0 && !held.isUnsure) return undefined
    const isOwed = byNano > 0 && owedOf(held) > 0
    lastNo++
    held.askedNo = lastNo
    held.isUnsure = false
    if (byNano > 0) held.isGrowing = true
    else if (byNano < 0) {
      held.returningNano -= byNano
      held.returnedNo = lastNo
    }
    const wish = { purse: held.purse, no: lastNo, byNano }
    return isOwed ? { ...wish, isOwed } : wish
  }

  /** Forgets what the lender lent: only what `leaseNano` says is held. */
  function restart(held: Held, leaseNano: number): void {
    held.leaseNano = leaseNano
    held.no = lastNo
    held.askedNo = lastNo
    held.returningNano = 0
    held.isGrowing = false
    held.isUnsure = false
    if (owedOf(held) > 0) setDue(held)
  }

  function shrink(purse: Purse, now: number): void {
    const held = purses.get(purse)
    if (held === undefined) return
    held.shortUntil = now + shortMs
    if (spareOf(held) > 0) setDue(held)
  }

  return {
    /** Takes from the lease for a request; false: it does not cover this. */
    take(purse: Purse, nano: number, now: number): boolean {
      const held = purses.get(purse)
      if (held === undefined) {
        heldOf(purse).missedAt = now
        return false
      }
      const restNano = spareOf(held) - nano
      if (restNano < 0) {
        miss(held, nano, now)
        return false
      }
      held.usedNano += nano
      held.takenAt = now
      if (restNano * 2 < held.aimNano) setDue(held)
      return true
    },
    /** Ends the use of what was taken: its request costs less, or its end is stored (then before `answered`). */
    release(purse: Purse, nano: number): void {
      const held = purses.get(purse)
      if (held === undefined || nano === 0) return
      held.usedNano -= nano
      if (held.shortUntil > 0) setDue(held)
    },
    /**
     * The lease pays a settlement that is sent and not answered: until then the lender's other answers may include
     * the payment or not. Negative: it is answered.
     */
    pay(purse: Purse, nano: number): void {
      heldOf(purse).payingNano += nano
    },
    /** Aims at this much unused: others ask for it. */
    want(purse: Purse, spareNano: number, now: number): void {
      const held = heldOf(purse)
      held.missedAt = now
      aim(held, spareNano)
    },
    /** What of a lease is unused. */
    spareNano(purse: Purse): number {
      const held = purses.get(purse)
      return held ? Math.max(0, spareOf(held)) : 0
    },
    /** Whether `wishes` has something to say. */
    hasWishes: (): boolean => due.length > 0,
    /** Wishes for the next batch. Each is answered by `answered`, or ends by `failed`. */
    wishes(now: number): readonly LeaseWish[] {
      if (due.length === 0) return none
      const wishes: LeaseWish[] = []
      for (const held of due.splice(0)) {
        held.isDue = false
        const wish = wishOf(held, now)
        if (wish) wishes.push(wish)
      }
      return wishes
    },
    /** The lender's answer to a batch. */
    answered(leases: readonly Lease[], now: number): void {
      for (const lease of leases) {
        const held = purses.get(lease.purse)
        if (held) {
          answered(held, lease)
          if (spareOf(held) > 0 ? now < held.shortUntil : isWanting(held, now)) setDue(held)
        } else if (lease.leaseNano > 0) ask(heldOf(lease.purse))
      }
    },
    /** The wishes of a batch that was not answered: they may have been done or not, or are done later. */
    failed(wishes: readonly LeaseWish[]): void {
      for (const { purse, no } of wishes) {
        const held = purses.get(purse)
        const isLast = held && (held.askedNo === no || held.askedNo <= held.no)
        if (isLast) ask(held)
      }
    },
    /** They are short of money: what is unused goes back, and nothing more is wished for a while. */
    recalled(short: readonly Purse[], now: number): void {
      for (const purse of short) shrink(purse, now)
    },
    /** Before the end: what is unused goes back. */
    returnAll(now: number): void {
      for (const purse of purses.keys()) shrink(purse, now)
    },
    /** Once a second: returns what is idle, and forgets purses of which it has none. */
    rest(now: number): void {
      for (const held of purses.values()) {
        if (spareOf(held) > 0 && now - held.refilledAt >= idleMs) {
          held.aimNano = now - held.takenAt >= idleMs ? 0 : Math.floor(held.aimNano / 2)
          held.refilledAt = now
          setDue(held)
        }
        if (isForgettable(held, now)) purses.delete(held.purse)
      }
    },
    /** The lender has ended all leases: what is promised is owed. */
    lost(): void {
      for (const held of purses.values()) {
        const mayHold = held.leaseNano > 0 || held.askedNo > held.no
        restart(held, 0)
        // Some may have been lent again meanwhile, or is by a wish that is still under way.
        if (mayHold) ask(held)
      }
    },
    /**
     * For a lender that knows nothing, or too much: what is promised is the whole lease from now on. Wishes
     * up to `no` are void, and so is what was said before with a lower one.
     */
    owed(): Owed {
      lastNo++
      for (const held of purses.values()) restart(held, held.usedNano)
      const used = [...purses.values()].filter(({ usedNano }) => usedNano > 0)
      const no = lastNo
      return {
        leases: used.map(({ purse, usedNano }) => ({ purse, leaseNano: usedNano, no })),
        no,
      }
    },
    /** Adds what a borrower of this one owes, covered or not. */
    owe(purse: Purse, nano: number): void {
      const held = heldOf(purse)
      held.usedNano += nano
      if (owedOf(held) > 0) setDue(held)
    },
  }

  /** Asks how large the lease is, where nothing else is wished. */
  function ask(held: Held): void {
    held.isGrowing = false
    held.isUnsure = true
    setDue(held)
  }
}

const none: readonly LeaseWish[] = []
