/** Items of several owners, who take turns: of each the first, then of each the second. */
export interface FairQueue<Item> {
  add(owner: string, item: Item): void
  remove(owner: string, item: Item): void
  /** Takes the item whose turn it is. */
  next(): Item | undefined
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
    next() {
      const [turn] = waiting
      if (turn === undefined) return undefined
      const [owner, items] = turn
      const item = items.shift()
      waiting.delete(owner)
      if (items.length > 0) waiting.set(owner, items)
      return item
    },
  }
}
