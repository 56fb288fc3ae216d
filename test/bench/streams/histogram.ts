/** Counts durations, each to 10 µs, up to 10 s. */
export interface Histogram {
  add(us: number): void
  /** In milliseconds; 0 when there is nothing. `share`: 0.5 for the median. */
  percentile(share: number): number
  highest(): number
  count(): number
  clear(): void
}

const bucketUs = 10
const bucketCount = 1_000_000

export function createHistogram(): Histogram {
  const buckets = new Uint32Array(bucketCount)
  let count = 0
  let highest = 0
  return {
    add(us) {
      count++
      if (us > highest) highest = us
      const at = us < 0 ? 0 : Math.min(Math.floor(us / bucketUs), bucketCount - 1)
      buckets[at] = (buckets[at] ?? 0) + 1
    },
    percentile(share) {
      let rest = count * share
      for (let at = 0; at < bucketCount; at++) {
        rest -= buckets[at] ?? 0
        if (rest <= 0) return count === 0 ? 0 : ((at + 0.5) * bucketUs) / 1000
      }
      return highest / 1000
    },
    highest: () => highest / 1000,
    count: () => count,
    clear() {
      buckets.fill(0)
      count = 0
      highest = 0
    },
  }
}
