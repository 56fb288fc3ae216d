import type { Lease, LeaseWish } from './messages.ts'

/** A wish gets at most a quarter of what is free: near the end of the money nothing is leased. */
const shareOfFree = 4

/**
 * The rule of lending: the lease after a wish. `freeNano`: what the lender could still promise. A wish
 * that is not above the last changes nothing, so a repeated or late batch is harmless.
 */
export function grant(
  lease: Lease,
  { no, byNano, isOwed }: LeaseWish,
  freeNano: number,
  share = shareOfFree,
): Lease {
  const { purse, leaseNano } = lease
  if (no <= lease.no) return lease
  const mostNano = isOwed ? byNano : Math.max(0, Math.floor(freeNano / share))
  return { purse, leaseNano: Math.max(0, leaseNano + Math.min(byNano, mostNano)), no }
}
