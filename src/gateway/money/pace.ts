/** A batch of fewer items shows no crowd. */
const crowd = 4
/** Between the beginnings of two batches in a crowd. */
const spacingMs = 5

/**
 * Spaces the commits of a shared store: each costs it as much as some 15 requests (a transaction, a
 * round trip, a synced log), so that more requests are to share one where many come at once.
 */
export function createPace() {
  let beganTick = 0
  let items = 0
  return {
    /** How long the next batch is to wait for more. */
    restMs: (now: number): number => (items < crowd ? 0 : beganTick + spacingMs - now),
    began(now: number, size: number): void {
      beganTick = now
      items = size
    },
  }
}
