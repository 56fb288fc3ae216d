/** Choices by chance, the same ones for the same seed. */
export interface Dice {
  /** A whole number from 0 up to `sides`, without it. */
  below(sides: number): number
  /** True once in so many times. */
  once(times: number): boolean
  /** One of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T
}

/** Dice for one case: what it is named by is its seed. */
export function createDice(...seed: readonly (string | number)[]): Dice {
  const next = sfc32(seed.join(' '))
  const below = (sides: number) => Math.floor(next() * sides)
  return {
    below,
    once: (times) => below(times) === 0,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('Nothing to pick from')
      return list[below(list.length)] as T
    },
  }
}

/** Numbers in [0, 1). Chris Doty-Humphrey's small fast counter (PractRand). */
function sfc32(seed: string): () => number {
  let [a, b, c, counter] = [hash(seed, 1), hash(seed, 2), hash(seed, 3), 1]
  return () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
}

/** FNV-1a, begun elsewhere for each `start`, and mixed at its end. */
function hash(text: string, start: number): number {
  let state = 0x811c9dc5 ^ Math.imul(start, 0x9e3779b1)
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return state ^ (state >>> 16)
}
