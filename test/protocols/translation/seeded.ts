/** Numbers from a seed, the same ones each time. */
export interface Seeded {
  /** A whole number from 0, below `count`. */
  below(count: number): number
  /** True once in `count` times. */
  once(count: number): boolean
  pick<T>(list: readonly T[]): T
}

/** A generator of numbers (mulberry32). */
export function createSeeded(seed: number): Seeded {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    below,
    once: (count) => below(count) === 0,
    pick<T>(list: readonly T[]): T {
      const picked = list[below(list.length)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
  }
}
