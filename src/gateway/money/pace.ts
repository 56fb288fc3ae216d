/** A batch of fewer items shows no crowd. */
const crowd = 4
/** Decides when the next batch begins. */
export type Pace = ReturnType<typeof createPace>

/**
 * Spaces the commits of a store: where each costs it as much as some 15 requests (a transaction, a round trip,
 * a synced log), more requests are to share one when many come at once.
 */
export function createPace(spacingMs: number) {
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
