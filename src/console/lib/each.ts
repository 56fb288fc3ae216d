/** What came of doing something to each of some items. */
export interface EachDone<Item> {
  readonly done: readonly Item[]
  readonly failed: readonly { readonly item: Item; readonly error: unknown }[]
}

interface EachOptions {
  /** So many run concurrently. */
  readonly atOnce: number
  /** Starts no more; what runs goes on to its end. */
  readonly signal?: AbortSignal
  /** How many have ended by now. */
  readonly onStep?: (ended: number) => void
}

/** Does something to each item; a failure stops none of the others. In the order of the items. */
export async function doEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  { atOnce, signal, onStep }: EachOptions,
): Promise<EachDone<Item>> {
  const errors = new Map<Item, unknown>()
  const ended = new Set<Item>()
  const queue = items.values()
  async function worker(): Promise<void> {
    for (const item of queue) {
      if (signal?.aborted) return
      await work(item).catch((error: unknown) => errors.set(item, error))
      ended.add(item)
      onStep?.(ended.size)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return {
    done: items.filter((item) => ended.has(item) && !errors.has(item)),
    failed: items.flatMap((item) => (errors.has(item) ? [{ item, error: errors.get(item) }] : [])),
  }
}
