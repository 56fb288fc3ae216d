import type { Purse } from './purse.ts'

/** Two requests within this time are use: the first one alone wishes for nothing. */
export const useMs = 5_000
/** A spare that is used up within this time was too small: the next is twice as large. */
const refillMs = 1_000
/** A spare that lasts longer is too large: half of it is returned; all, where nothing was taken. */
export const idleMs = 5_000
/** After a grant that was too little. */
const pauseMs = 100

/** What a process holds of the money in one purse, in nano-USD. */
export interface Held {
  readonly purse: Purse
  /** As last answered, by the wish `no`. */
  leaseNano: number
  no: number
  /** Promised to requests whose end is not stored. */
  usedNano: number
  /** Of that, what the lease may have paid already: its settlement is under way, or was not answered. */
  payingNano: number
  /** Returned by wishes up to `returnedNo`, as far as they may not be answered. */
  returningNano: number
  returnedNo: number
  /** The last wish; above `no`: it is not answered. */
  askedNo: number
  /** A growth is on its way. */
  isGrowing: boolean
  /** Its last wish failed, and may have been done. */
  isUnsure: boolean
  /** The last growth was too little: money is getting short. */
  wasTooLittle: boolean
  /** The spare that is aimed at. */
  aimNano: number
  refilledAt: number
  takenAt: number
  missedAt: number
  shortUntil: number
  isDue: boolean
}

/** What is unused, and surely lent. */
export const spareOf = (held: Held): number => held.leaseNano - held.returningNano - held.usedNano

/** What is promised already, and not held: not what is merely uncertain. */
export const owedOf = (held: Held): number =>
  Math.max(0, held.usedNano - held.payingNano - held.leaseNano)

const long = Number.NEGATIVE_INFINITY

export const nothingHeld = (purse: Purse, no: number): Held => ({
  ...{ purse, no, leaseNano: 0, usedNano: 0, returningNano: 0, askedNo: no, aimNano: 0 },
  ...{ payingNano: 0, returnedNo: no },
  ...{ isGrowing: false, isUnsure: false, wasTooLittle: false, isDue: false },
  ...{ refilledAt: long, takenAt: long, missedAt: long, shortUntil: 0 },
})

/** By how much a lease should change now. */
export function changeOf(held: Held, now: number): number {
  const spareNano = spareOf(held)
  if (now < held.shortUntil && spareNano >= 0) return 0 - spareNano
  if (now >= held.shortUntil) held.shortUntil = 0
  if (spareNano > 2 * held.aimNano) return held.aimNano - spareNano
  if (held.isGrowing) return 0
  const owedNano = owedOf(held)
  if (owedNano > 0 || !isWanting(held, now)) return owedNano
  if (now - held.refilledAt < refillMs && !held.wasTooLittle) held.aimNano *= 2
  held.refilledAt = now
  return held.aimNano - spareNano
}

export function isWanting(held: Held, now: number): boolean {
  if (owedOf(held) > 0) return true
  if (spareOf(held) * 2 >= held.aimNano) return false
  return !held.wasTooLittle || now - held.refilledAt >= pauseMs
}

/** Nothing is held, nor under way. */
export const isForgettable = (held: Held, now: number): boolean =>
  !held.isDue &&
  held.leaseNano + held.usedNano + held.payingNano + held.returningNano === 0 &&
  held.askedNo <= held.no &&
  now - held.missedAt >= useMs
