import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Both ends of a link show that they know the group's secret, without sending it: names of sockets are
 * public, and another program may take that of a keeper that has just died.
 */
export const createNonce = (): string => randomBytes(24).toString('base64url')

type Role = 'worker' | 'keeper'

/** What one end sends to show it; `nonces`: the worker's, then the keeper's. */
export const proofOf = (role: Role, secret: string, nonces: readonly [string, string]): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([role, ...nonces]))
    .digest('base64url')

/** Whether what the other end has sent is right. */
export function isProof(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.byteLength === b.byteLength && timingSafeEqual(a, b)
}
