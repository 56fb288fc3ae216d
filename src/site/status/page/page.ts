import type { AvailabilityFigures } from '../../../catalog/availability.ts'
import type { Catalog, Group } from '../../../catalog/catalog.ts'
import { compareCodePoints } from '../../../lib/code-points.ts'
import type { FrameSite } from '../../../look/frame.ts'
import type { Language } from '../../../look/language.ts'
import type { State } from '../../../look/states.ts'
import {
  askedModels,
  groupFigures,
  modelFigures,
  modelsPerStep,
  mostAsked,
  shownGroups,
} from '../document.ts'
import type { StatusModel } from '../schema.ts'
import { type Described, type Frame, frameHtml, furtherHtml } from './frame.ts'
import { cardHtml, type Looks, rowHtml, type ShownGroup } from './group.ts'
import { incidentsOf } from './incidents.ts'
import { english, type Words } from './words-en.ts'
import { chinese } from './words-zh.ts'

const words: Readonly<Record<Language, Words>> = { en: english, zh: chinese }

/** Largest page: phones load it every minute. */
const mostBytes = 59_000

const listedModels = 50

interface PageParts {
  readonly site: FrameSite
  readonly groups: Catalog['groups']
  readonly figures: AvailabilityFigures
  readonly nowMs: number
  readonly language: Language
}

/**
 * The status as HTML without scripts, of 60 KB at most: of many groups, the worst and busiest have details,
 * the others a row. Yields for `inSlices`.
 */
export function* statusPage(parts: PageParts): Generator<void, string> {
  const { site, groups, figures, nowMs, language } = parts
  const looks: Looks = { words: words[language], nowMs }
  const shown: Described[] = []
  for (const group of shownGroups(groups)) {
    shown.push(yield* describe(group, parts))
    yield
  }
  const frame: Frame = { site, language, looks, shown, since: figures.hoursFrom }
  const { before, after } = frameHtml(frame)
  // Room for the words about groups without room.
  const spare =
    mostBytes - byteLength(before + after) - byteLength(furtherHtml([], 1_000, looks.words))
  const { cards, rows, left } = yield* fit(shown, spare, {
    row: ({ about }) => rowHtml(about, looks.words),
    card: (one, models, hasTitles) =>
      cardHtml({ ...one, models: one.models.slice(0, models).sort(byName) }, looks, hasTitles),
  })
  return before + cards.join('') + furtherHtml(rows, left, looks.words) + after
}

function* describe(group: Group, { figures, nowMs }: PageParts): Generator<void, Described> {
  const asked = askedModels(group, figures)
  const about = groupFigures(group, figures, asked.length)
  const models: StatusModel[] = []
  for (const model of yield* mostAsked(asked, group.id, figures, listedModels)) {
    models.push(modelFigures(model, group.id, figures))
    if (models.length % modelsPerStep === 0) yield
  }
  return { group, about, models, incidents: incidentsOf(group.id, about.state, figures, nowMs) }
}

const byName = (a: StatusModel, b: StatusModel) => compareCodePoints(a.name, b.name)

/** How a group is written, in more or less detail. */
interface Forms<Item> {
  row(item: Item): string
  /** Shows `models` models; `hasTitles`: with a text for each bar. */
  card(item: Item, models: number, hasTitles: boolean): string
}

/** Detail of a card, the least first: number of models, and whether bars have texts. */
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

export const byteLength = (text: string): number => Buffer.byteLength(text)

/**
 * Fits groups into a number of bytes: rows first, then details, for the worst and then the busiest groups.
 * Keeps the order. Yields after each group.
 */
export function* fit<Item extends Pick<ShownGroup, 'about'>>(
  items: readonly Item[],
  mostBytes: number,
  forms: Forms<Item>,
) {
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
      // Cards for all go before more detail for some.
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
