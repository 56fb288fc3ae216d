/** Options of an LRU cache with at most this many entries of size 1; `max` would allocate all of them at once. */
export const entryLimit = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 })

/** Options of an LRU cache whose entries expire after `ms`, without timers. */
export const expiresAfter = (ms: number) => ({ ttl: ms, ttlResolution: 0 })
