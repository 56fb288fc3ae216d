/** Items of several owners, who take turns: of each the first, then of each the second. */
export interface FairQueue<Item> {
  add(owner: string, item: Item): void
  remove(owner: string, item: Item): void
  /** Takes the item whose turn it is; `mayGo`: of which owners with their first one. */
  next(mayGo?: (item: Item) => boolean): Item | undefined
}

export function createFairQueue<Item>(): FairQueue<Item> {
  // A map keeps its order: who was served goes to its end.
  const waiting = new Map<string, Item[]>()
  return {
    add(owner, item) {
      const items = waiting.get(owner)
      if (items === undefined) waiting.set(owner, [item])
      else items.push(item)
    },
    remove(owner, item) {
      const left = waiting.get(owner)?.filter((one) => one !== item) ?? []
      if (left.length > 0) waiting.set(owner, left)
      else waiting.delete(owner)
    },
    next(mayGo) {
      for (const [owner, items] of waiting) {
        const [item] = items
        if (item === undefined || mayGo?.(item) === false) continue
        items.shift()
        waiting.delete(owner)
        if (items.length > 0) waiting.set(owner, items)
        return item
      }
      return undefined
    },
  }
}
