/**
 * Options of an LRU cache that holds so many entries. With `max` it would make room for all of them
 * at once: megabytes that stay in memory, and that the garbage collector goes through each time.
 * Bounded by its size, every entry being 1, it grows as it fills.
 */
export const growing = (maxEntries: number) => ({ maxSize: maxEntries, sizeCalculation: () => 1 })

/** An LRU cache's options for entries that last so long, by a clock that needs no timers. */
export const lasting = (ms: number) => ({ ttl: ms, ttlResolution: 0 })
