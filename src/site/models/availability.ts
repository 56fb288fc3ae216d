import {
  type AvailabilityFigures,
  addCounts,
  emptyCounts,
  type WindowName,
} from '../../catalog/availability.ts'
import { encodeFigures } from '../status/document.ts'
import type { ShownModel } from './models.ts'

/** How well a model was answered, in some of its groups together. */
export type ModelHealth = ReturnType<typeof healthOf>

/** The figures of a model in these groups, by the measure of the status page. */
export function healthOf(
  { name, sales }: Pick<ShownModel, 'name' | 'sales'>,
  figures: AvailabilityFigures,
  groupId?: number,
) {
  const sold = sales.filter(({ group }) => groupId === undefined || group.id === groupId)
  return encodeFigures((window: WindowName) => {
    const found = sold.flatMap(({ group }) => figures.counts(window, group.id, name) ?? [])
    if (found.length < 2) return found[0]
    const sum = emptyCounts()
    for (const counts of found) addCounts(sum, counts)
    return sum
  })
}
