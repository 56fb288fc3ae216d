import type { Lease, LeaseWish } from './messages.ts'

/** A wish gets at most this part of what is free: near the end of the money nothing is leased. */
const shareOfFree = 4

/**
 * The rule of lending: the lease after a wish. `freeNano`: what the lender could still promise. A wish
 * that is not above the last changes nothing, so a repeated or late batch is harmless.
 */
export function grant(lease: Lease, wish: LeaseWish, freeNano: number): Lease {
  const { accountId, leaseNano } = lease
  if (wish.no <= lease.no) return lease
  return { accountId, leaseNano: leaseNano + changeOf(leaseNano, wish, freeNano), no: wish.no }
}

function changeOf(leaseNano: number, { byNano, isOwed }: LeaseWish, freeNano: number): number {
  if (byNano < 0) return -Math.min(-byNano, leaseNano)
  if (isOwed) return byNano
  return Math.min(byNano, Math.max(0, Math.floor(freeNano / shareOfFree)))
}
