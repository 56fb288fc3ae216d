/** A number from 0 to below 1. */
export type Random = () => number

/** Numbers by chance, the same ones for the same seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item

export const between = (random: Random, least: number, most: number): number =>
  least + random() * (most - least)

/** Whole numbers from 0 to below what is asked, the same ones for the same seed. */
export function createDice(seed: number): (sides: number) => number {
  const random = createRandom(seed)
  return (sides) => Math.floor(random() * sides)
}
