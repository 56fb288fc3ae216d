import type { Item } from './commit-item.ts'

/** A reservation waits at most this long: `commitNow` stores it earlier, a settlement replaces it. */
const batchWindowMs = 50

/** Holds reservations until the window ends: many requests (embeddings, refusals) are settled before. */
export function createBatchWindow(enqueue: (item: Item) => void) {
  /** Entries are emptied when they leave: former tables of the map keep them, see `Roster`. */
  const held = new Map<string, { item: Item | undefined }>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function take(requestId: string): Item | undefined {
    const entry = held.get(requestId)
    if (entry === undefined) return undefined
    const { item } = entry
    held.delete(requestId)
    entry.item = undefined
    return item
  }

  function end(): void {
    clearTimeout(timer)
    timer = undefined
    for (const requestId of [...held.keys()]) {
      const item = take(requestId)
      if (item) enqueue(item)
    }
  }

  return {
    add(item: Item): void {
      held.set(item.requestId, { item })
      timer ??= setTimeout(end, batchWindowMs)
    },
    take,
    end,
  }
}
