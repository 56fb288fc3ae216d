import type { AvailabilityFigures } from '../../../catalog/availability.ts'
import type { Catalog, Group } from '../../../catalog/catalog.ts'
import { compareCodePoints } from '../../../lib/table.ts'
import {
  askedModels,
  groupFigures,
  modelFigures,
  modelsPerStep,
  mostAsked,
  shownGroups,
} from '../figures.ts'
import type { StatusModel } from '../schema.ts'
import { byteLength, fit } from './fit.ts'
import { type Described, type Frame, frameHtml, furtherHtml } from './frame.ts'
import { cardHtml, type Looks, rowHtml } from './group.ts'
import { incidentsOf } from './incidents.ts'
import type { Language } from './language.ts'
import type { Words } from './words.ts'
import { english } from './words-en.ts'
import { chinese } from './words-zh.ts'

const words: Readonly<Record<Language, Words>> = { en: english, zh: chinese }

/** So many bytes are a page at most: it is asked for every minute, by phones, too. */
const mostBytes = 59_000

/** So many models of a group are listed; of many groups fewer, as they fit. */
const listedModels = 50

export interface PageParts {
  readonly siteName: string
  readonly groups: Catalog['groups']
  readonly figures: AvailabilityFigures
  readonly nowMs: number
  readonly language: Language
}

/**
 * The status as one page of HTML without scripts, of 60 KB at most: with very many groups, those
 * that fare worst and those that are asked most have bars and models, the others a row each. Yields
 * after each group and after each few models, for `inSlices`.
 */
export function* statusPage(parts: PageParts): Generator<void, string> {
  const { siteName, groups, figures, nowMs, language } = parts
  const looks: Looks = { words: words[language], nowMs }
  const shown: Described[] = []
  for (const group of shownGroups(groups)) {
    shown.push(yield* describe(group, parts))
    yield
  }
  const frame: Frame = { siteName, language, looks, shown, since: figures.hoursFrom }
  const { before, after } = frameHtml(frame)
  // Room for the words that tell of groups that have no room.
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
