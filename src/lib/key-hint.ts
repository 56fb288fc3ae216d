/** Shorter keys would be given away by their hint. */
const leastLength = 20

/** What lists show of a token's key: `sk-ab…wxyz`; of a short one only `sk-…`. */
export function keyHint(key: string): string {
  return key.length < leastLength ? `${key.slice(0, 3)}…` : `${key.slice(0, 5)}…${key.slice(-4)}`
}
