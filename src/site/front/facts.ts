import { type AvailabilityFigures, requestsOf } from '../../catalog/availability.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import type { State } from '../../look/states.ts'
import { rowOf, type ShownRow, withHealth } from '../models/find.ts'
import type { Models } from '../models/live-models.ts'
import type { ShownModel } from '../models/models.ts'
import { groupFigures, modelsPerStep, shownGroups } from '../status/document.ts'

export interface FrontGroup {
  readonly name: string
  readonly state: State
  /** The part of the last 24 hours' requests that succeeded; null: there were none. */
  readonly dayRatio: number | null
  readonly models: number
}

/** What the front page says of the catalog and of the present. */
export interface FrontFacts {
  /** At the prices of their cheapest groups; the most used first. */
  readonly rows: readonly ShownRow[]
  readonly modelCount: number
  /** Whether the order of the rows tells anything: something was used. */
  readonly isByUse: boolean
  readonly groups: readonly FrontGroup[]
}

interface Used {
  readonly model: ShownModel
  /** Requests of all groups in 24 hours, and in 90 days. */
  readonly day: number
  readonly ever: number
}

interface FactParts {
  readonly groups: Catalog['groups']
  readonly models: Models
  readonly figures: AvailabilityFigures
  /** Models that are listed at most. */
  readonly most: number
}

/** Yields for `inSlices`. */
export function* frontFacts({
  groups,
  models,
  figures,
  most,
}: FactParts): Generator<void, FrontFacts> {
  const used: Used[] = []
  const sold = new Map<number, number>()
  for (const model of models.values()) {
    const asked = (window: '24h' | '90d') =>
      model.sales.reduce((sum, { group }) => {
        const counts = figures.counts(window, group.id, model.name)
        return sum + (counts ? requestsOf(counts) : 0)
      }, 0)
    used.push({ model, day: asked('24h'), ever: asked('90d') })
    for (const { group } of model.sales) sold.set(group.id, (sold.get(group.id) ?? 0) + 1)
    if (used.length % modelsPerStep === 0) yield
  }
  const first = used.sort(byUse).slice(0, most)
  const isByUse = (first[0]?.ever ?? 0) > 0
  const rows = first.map(({ model }) =>
    withHealth(rowOf(model, model.sales[0]), { group: '' }, figures),
  )
  const shown: FrontGroup[] = []
  const byMultiplier = shownGroups(groups).toSorted(
    (a, b) => a.multiplierMillionths - b.multiplierMillionths,
  )
  for (const group of byMultiplier) {
    const count = sold.get(group.id) ?? 0
    const { state, availability, name } = groupFigures(group, figures, count)
    shown.push({ name, state, dayRatio: availability['24h'].ratio, models: count })
    yield
  }
  return { rows, modelCount: models.size, isByUse, groups: shown }
}

const byUse = (a: Used, b: Used) =>
  b.day - a.day || b.ever - a.ever || compareCodePoints(a.model.name, b.model.name)
