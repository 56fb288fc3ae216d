/** Runs work after all earlier work has ended; returns its result, or rejects with it. */
type InTurn = <Result>(work: () => Result | Promise<Result>) => Promise<Result>

/** Runs asynchronous work one after the other, in the order requested. */
export function createMutex(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined) // whoever asked for it learns of it
    return turn
  }
}

/** The same for each owner separately: owners do not wait for each other. */
export function createKeyedMutex() {
  const last = new Map<string, Promise<unknown>>()
  return <Result>(owner: string, work: () => Promise<Result>): Promise<Result> => {
    const turn = (last.get(owner) ?? Promise.resolve()).then(work)
    const ended: Promise<unknown> = turn
      .catch(() => undefined) // whoever asked for it learns of it
      .then(() => last.get(owner) === ended && last.delete(owner))
    last.set(owner, ended)
    return turn
  }
}

/** Runs work again for each caller; callers that wait meanwhile share one run. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> | undefined
  let waiting: Promise<void> | undefined

  function begin(): Promise<void> {
    waiting = undefined
    const run = work()
    const ended: Promise<unknown> = run
      .catch(() => undefined) // whoever asked for it learns of it
      .then(() => {
        if (running === ended) running = undefined
      })
    running = ended
    return run
  }

  return () => {
    if (running === undefined && waiting === undefined) return begin()
    waiting ??= running?.then(begin) ?? begin()
    return waiting
  }
}

/** Runs one piece of work at a time: callers during a run get its promise. `idle` resolves when none is running. */
export function createSingleFlight<Result>(work: () => Promise<Result>) {
  let running: Promise<Result> | undefined
  const run = (): Promise<Result> => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
  const idle = async (): Promise<void> => {
    await running
  }
  return Object.assign(run, { idle })
}

/** Runs asynchronous work one after the other, round-robin among owners. */
export function createFairMutex() {
  const waiting = createFairQueue<() => void>()
  let isBusy = false

  function next(): void {
    const begin = waiting.next()
    isBusy = begin !== undefined
    begin?.()
  }

  return async function inTurn<Result>(
    owner: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (isBusy) await new Promise<void>((begin) => waiting.add(owner, begin))
    isBusy = true
    try {
      return await work()
    } finally {
      next()
    }
  }
}

/** A queue that takes owners round-robin. */
export function createFairQueue<Item>() {
  // Maps iterate in insertion order: an owner that was served moves to the end.
  const waiting = new Map<string, Item[]>()
  return {
    add(owner: string, item: Item): void {
      waiting.getOrInsertComputed(owner, () => []).push(item)
    },
    remove(owner: string, item: Item): void {
      const left = waiting.get(owner)?.filter((one) => one !== item) ?? []
      if (left.length > 0) waiting.set(owner, left)
      else waiting.delete(owner)
    },
    /** Takes the next item in turn; `mayGo` filters owners by their first item. */
    next(mayGo?: (item: Item) => boolean): Item | undefined {
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
