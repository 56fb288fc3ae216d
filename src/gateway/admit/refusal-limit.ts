/** Keeps a client that repeats a refused request from filling the database. */
export interface RefusalLimit {
  /** Whether this refusal of a token leaves a record; `nowTick` in milliseconds. */
  admit(tokenId: number | undefined, nowTick: number): boolean
}

/** So many of a token's, a minute, are recorded. */
const recordedPerMinute = 60
const minuteMs = 60_000

export function createRefusalLimit(): RefusalLimit {
  let counts = new Map<number, number>()
  let since = 0
  return {
    admit(tokenId, nowTick) {
      if (tokenId === undefined) return false
      if (nowTick - since >= minuteMs) {
        counts = new Map()
        since = nowTick
      }
      const count = (counts.get(tokenId) ?? 0) + 1
      counts.set(tokenId, count)
      return count <= recordedPerMinute
    },
  }
}
