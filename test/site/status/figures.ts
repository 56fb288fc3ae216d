import {
  type AvailabilityFigures,
  addCounts,
  type Bar,
  emptyCounts,
  type MeasuredHour,
  type WindowName,
  windows,
} from '../../../src/catalog/availability.ts'
import type { AvailabilityCounts } from '../../../src/store/ports/availability.ts'

/** What is told of one model, by window; what is left out is that of the next shorter window. */
export interface ModelFigures {
  readonly groupId: number
  readonly model: string
  readonly counts: { readonly [window in WindowName]?: Partial<AvailabilityCounts> }
}

const shortestFirst = Object.keys(windows) as readonly WindowName[]

/** What a test says of groups, by their number; what it leaves out is made up or empty. */
export interface GroupBars {
  readonly hours?: (groupId: number) => readonly MeasuredHour[]
  readonly bars?: AvailabilityFigures['bars']
  readonly hoursFrom?: number
}

/** Figures as the gateway gives them, made from what a test says of its models and groups. */
export function figuresOf(
  models: readonly ModelFigures[],
  groups: GroupBars = {},
): AvailabilityFigures {
  const ofModel = ({ counts }: ModelFigures, window: WindowName) => {
    const known = shortestFirst.slice(0, shortestFirst.indexOf(window) + 1).reverse()
    const found = known.find((name) => counts[name])
    return found && { ...emptyCounts(), ...counts[found] }
  }
  const byGroup = Map.groupBy(models, ({ groupId }) => groupId)
  const ofGroup = (groupId: number) => byGroup.get(groupId) ?? []
  return {
    counts(window, groupId, model) {
      const sum = emptyCounts()
      const found = ofGroup(groupId)
        .filter((one) => model === undefined || one.model === model)
        .flatMap((one) => ofModel(one, window) ?? [])
      for (const counts of found) addCounts(sum, counts)
      return found.length > 0 ? sum : undefined
    },
    models: (groupId) => ofGroup(groupId).map(({ model }) => model),
    bars:
      groups.bars ??
      ((window, groupId) =>
        Array.from(
          { length: windows[window].buckets },
          (_, place): Bar => ({
            requests: groupId * 1_000 + place,
            failed: place,
          }),
        )),
    hours: groups.hours ?? (() => []),
    hoursFrom: groups.hoursFrom ?? 0,
  }
}
