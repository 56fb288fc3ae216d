import type { State } from '../figures.ts'
import type { ShownGroup } from './group.ts'

/** How a group is written, in more or less detail. */
export interface Forms<Item> {
  row(item: Item): string
  /** With so many of its models; with or without a text for each bar. */
  card(item: Item, models: number, hasTitles: boolean): string
}

export interface Fitted {
  readonly cards: readonly string[]
  readonly rows: readonly string[]
  /** So many groups have neither. */
  readonly left: number
}

/** Degrees of detail of a card, the least first: how many models, and whether bars have texts. */
const degrees = [
  [5, false],
  [20, false],
  [50, false],
  [50, true],
] as const

interface Place<Item> {
  readonly item: Item
  text: string
  isCard: boolean
}

/** Length as it is sent. */
export const byteLength = (text: string): number => Buffer.byteLength(text)

/**
 * Writes groups within so many bytes. Those that fare worst come first, then those that are asked
 * for most: first each gets a row, as long as there is room; then they get more and more detail.
 * The order remains. Yields after each group.
 */
export function* fit<Item extends Pick<ShownGroup, 'about'>>(
  items: readonly Item[],
  mostBytes: number,
  forms: Forms<Item>,
): Generator<void, Fitted> {
  let spare = mostBytes
  const urgent: Place<Item>[] = []
  for (const item of items.toSorted(byUrgency)) {
    const text = forms.row(item)
    if (byteLength(text) > spare) break
    spare -= byteLength(text)
    urgent.push({ item, text, isCard: false })
  }
  for (const [models, hasTitles] of degrees) {
    for (const place of urgent) {
      const text = forms.card(place.item, models, hasTitles)
      const more = byteLength(text) - byteLength(place.text)
      yield
      // What has no card yet comes before what could be more detailed.
      if (more > spare) break
      spare -= more
      place.text = text
      place.isCard = true
    }
  }
  const known = new Map(urgent.map((place) => [place.item, place]))
  const places = items.flatMap((item) => known.get(item) ?? [])
  return {
    cards: places.filter(({ isCard }) => isCard).map(({ text }) => text),
    rows: places.filter(({ isCard }) => !isCard).map(({ text }) => text),
    left: items.length - places.length,
  }
}

const urgency: Readonly<Record<State, number>> = {
  down: 0,
  degraded: 1,
  operational: 2,
  no_data: 3,
}

const byUrgency = (
  { about: a }: Pick<ShownGroup, 'about'>,
  { about: b }: Pick<ShownGroup, 'about'>,
) =>
  urgency[a.state] - urgency[b.state] ||
  b.availability['24h'].requests - a.availability['24h'].requests
