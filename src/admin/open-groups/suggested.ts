import { type AvailabilityFigures, failuresOf } from '../../catalog/availability.ts'
import type { Group } from '../../catalog/catalog.ts'
import { kindOf } from '../../catalog/model-facts.ts'
import { compareCodePoints } from '../../lib/code-points.ts'

const mostSuggested = 20

/**
 * Models of a group to begin with, in snippets and in the playground: those that answer in words, the most
 * used of the last 24 hours first. Those that mostly failed in the last hour come last.
 */
export function suggestedModels(
  { id, offers }: Pick<Group, 'id' | 'offers'>,
  { counts }: Pick<AvailabilityFigures, 'counts'>,
): string[] {
  const rated = [...offers.values()]
    .filter(({ model, candidates }) => candidates.length > 0 && kindOf(model) === 'answers')
    .map(({ model }) => {
      const lately = counts('1h', id, model)
      return {
        model,
        used: counts('24h', id, model)?.succeeded ?? 0,
        isBroken: lately !== undefined && failuresOf(lately) > lately.succeeded,
      }
    })
  rated.sort(
    (a, b) =>
      Number(a.isBroken) - Number(b.isBroken) ||
      b.used - a.used ||
      compareCodePoints(a.model, b.model),
  )
  return rated.slice(0, mostSuggested).map(({ model }) => model)
}
