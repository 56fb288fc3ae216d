/**
 * Options of an LRU cache of so many entries, each of size 1: with `max` it would take the room for
 * all of them at once.
 */
export const growing = (maxEntries: number) => ({ maxSize: maxEntries, sizeCalculation: () => 1 })

/** An LRU cache's options for entries that last so long, by a clock that needs no timers. */
export const lasting = (ms: number) => ({ ttl: ms, ttlResolution: 0 })
