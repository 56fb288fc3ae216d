import { type AvailabilityFigures, requestsOf } from '../../catalog/availability.ts'
import type { Catalog, Group, Offer } from '../../catalog/catalog.ts'
import { compareCodePoints } from '../../lib/table.ts'
import type { State } from '../../look/states.ts'
import { feedRow } from '../feed/document.ts'
import { groupFigures, modelsPerStep, shownGroups } from '../status/document.ts'

/** A model at the lowest price that it has in a group. Prices are exact, in USD. */
export interface FrontModel {
  readonly name: string
  readonly contextWindow: number | null
  /** Per 1M tokens, or per call. */
  readonly price: { readonly input: string; readonly output: string } | { readonly perCall: string }
  /** How many groups sell it. */
  readonly groups: number
}

export interface FrontGroup {
  readonly name: string
  readonly state: State
  /** The part of the last 24 hours' requests that succeeded; null: there were none. */
  readonly dayRatio: number | null
  readonly models: number
}

/** What the front page says of the catalog and of the present. */
export interface FrontFacts {
  /** The most used first. */
  readonly models: readonly FrontModel[]
  readonly modelCount: number
  readonly groups: readonly FrontGroup[]
}

interface Sold {
  readonly group: Group
  readonly offer: Offer
  groups: number
  /** Requests of all groups in 24 hours, and in 90 days. */
  day: number
  ever: number
}

interface FactParts {
  readonly groups: Catalog['groups']
  readonly figures: AvailabilityFigures
  /** Models that are listed at most. */
  readonly most: number
}

/** Yields for `inSlices`. */
export function* frontFacts({ groups, figures, most }: FactParts): Generator<void, FrontFacts> {
  const sold = new Map<string, Sold>()
  const shown: FrontGroup[] = []
  let seen = 0
  const byMultiplier = shownGroups(groups).toSorted(
    (a, b) => a.multiplierMillionths - b.multiplierMillionths,
  )
  for (const group of byMultiplier) {
    let models = 0
    for (const offer of group.offers.values()) {
      if (++seen % modelsPerStep === 0) yield
      if (offer.candidates.length === 0) continue
      models++
      const one = sold.getOrInsertComputed(offer.model, () => {
        return { group, offer, groups: 0, day: 0, ever: 0 }
      })
      one.groups++
      for (const window of ['24h', '90d'] as const) {
        const counts = figures.counts(window, group.id, offer.model)
        one[window === '24h' ? 'day' : 'ever'] += counts ? requestsOf(counts) : 0
      }
    }
    const { state, availability, name } = groupFigures(group, figures, models)
    shown.push({ name, state, dayRatio: availability['24h'].ratio, models })
    yield
  }
  const first = [...sold.values()].sort(byUse).slice(0, most)
  return { models: first.map(frontModel), modelCount: sold.size, groups: shown }
}

const byUse = (a: Sold, b: Sold) =>
  b.day - a.day || b.ever - a.ever || compareCodePoints(a.offer.model, b.offer.model)

function frontModel({ group, offer, groups }: Sold): FrontModel {
  const { prices } = feedRow(group, offer)
  const { input_price: input = '0', output_price: output = '0', unit_price: perCall } = prices
  return {
    ...{ name: offer.model, contextWindow: offer.contextWindow, groups },
    price: perCall === undefined ? { input, output } : { perCall },
  }
}
