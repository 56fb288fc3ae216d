/**
 * Colours that also people tell apart who see fewer of them (after Paul Tol), for each background.
 * A place means the same thing in both.
 */
const palettes = {
  light: colours('332288 dd7788 117733 66bbdd 882255 c2ab45 44aa99 aa4499 85852b'),
  dark: colours('7799ee ffaabb 44bb66 99ddff dd5599 eedd88 44bbaa cc99ee bbcc33'),
}

function colours(text: string): readonly string[] {
  return text.split(' ').map((digits) => `#${digits}`)
}

const greys = { light: '#868e96', dark: '#909296' } as const

export type Scheme = keyof typeof palettes

/** The place of all that has no colour of its own. */
export const otherSlot = -1

/** Lines differ in their pattern, too. */
const dashes: readonly (readonly number[])[] = [[], [8, 3], [2, 3]]

export const colourOf = (slot: number, scheme: Scheme): string =>
  palettes[scheme][slot] ?? greys[scheme]

export const dashOf = (slot: number): readonly number[] =>
  slot === otherSlot ? [1, 4] : (dashes[slot % dashes.length] ?? [])

/** Reds look like failures: a name has one only when no other colour is left. */
const reddish = [1, 4]
const calm = palettes.light.map((_, slot) => slot).filter((slot) => !reddish.includes(slot))

const known = new Map<string, number>()

/**
 * A colour for each name, the same in every chart: by the name itself, or the next one that is free.
 * Names beyond the palette share that of the others.
 */
export function slotsOf(names: readonly string[]): ReadonlyMap<string, number> {
  const slots = new Map<string, number>()
  const taken = new Set<number>()
  for (const name of names) {
    const wanted = known.get(name) ?? calm[hash(name) % calm.length] ?? otherSlot
    const from = calm.indexOf(wanted)
    const next = [...calm.slice(from), ...calm.slice(0, from), ...reddish]
    const slot = next.find((one) => !taken.has(one)) ?? otherSlot
    taken.add(slot)
    slots.set(name, slot)
    if (slot !== otherSlot && !known.has(name)) known.set(name, slot)
  }
  return slots
}

function hash(text: string): number {
  let value = 0
  for (const sign of text) value = (Math.imul(value, 31) + (sign.codePointAt(0) ?? 0)) >>> 0
  return value
}
