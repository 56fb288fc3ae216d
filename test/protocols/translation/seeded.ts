import { createDice } from '../../support/random.ts'
/** Numbers from a seed, the same ones each time. */
export interface Seeded {
  /** A whole number from 0, below `count`. */
  below(count: number): number
  /** True once in `count` times. */
  once(count: number): boolean
  pick<T>(list: readonly T[]): T
}

export function createSeeded(seed: number): Seeded {
  const below = createDice(seed)
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
