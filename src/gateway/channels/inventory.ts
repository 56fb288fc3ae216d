import type { Catalog } from '../../catalog/catalog.ts'
import type { CoolingId } from '../../store/ports/health.ts'

/** Tells keys by their marks, and whether what cools is still there. */
export interface Inventory {
  markOf(key: string): string
  /** Whether a catalog has the channel, key and model of an id; asked for these entries. */
  of(catalog: Catalog, entries: Iterable<{ readonly id: CoolingId }>): (id: CoolingId) => boolean
}

/** Marks of keys are keyed hashes: so many are remembered instead of being reckoned again. */
const maxMarks = 10_000

/** `keyMark` gives the keyed hash of a key, without spaces. */
export function createInventory(keyMark: (key: string) => string): Inventory {
  const marks = new Map<string, string>()

  function markOf(key: string): string {
    const known = marks.get(key)
    if (known !== undefined) return known
    if (marks.size >= maxMarks) marks.clear()
    const mark = keyMark(key)
    marks.set(key, mark)
    return mark
  }

  return {
    markOf,
    of(catalog, entries) {
      const models = new Map<number, Set<string>>()
      for (const { id } of entries) if (id.model) models.set(id.channelId, new Set())
      collectModels(catalog, models)
      return ({ channelId, key, model }) => {
        const channel = catalog.channels.get(channelId)
        if (channel === undefined) return false
        if (key && !channel.keys.some((one) => markOf(one) === key)) return false
        return !model || models.get(channelId)?.has(model) === true
      }
    },
  }
}

/** Adds the upstream's names of the models of these channels. */
function collectModels({ groups }: Catalog, models: ReadonlyMap<number, Set<string>>): void {
  if (models.size === 0) return
  for (const { offers } of groups.values()) {
    for (const { candidates } of offers.values()) {
      for (const { channel, upstreamModel } of candidates) {
        models.get(channel.id)?.add(upstreamModel)
      }
    }
  }
}
