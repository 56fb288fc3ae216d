import { createFairQueue } from './fair-queue.ts'

/** Runs work when all work before it has ended; gives its result, or rejects as it does. */
export type InTurn = <Result>(work: () => Result | Promise<Result>) => Promise<Result>

/** Pieces of asynchronous work, one after the other in the order in which they are asked for. */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined) // whoever asked for it learns of it
    return turn
  }
}

/** The same for each owner apart: who asks for much waits for himself, and nobody for another. */
export function createOwnTurns() {
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

/**
 * One piece of work that is done anew for each who asks, but for those who ask while others wait: it
 * has not begun for them, so that one time serves them all.
 */
export function createJoined(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let waiting: Promise<void> | undefined
  return () => {
    waiting ??= running.then(() => {
      waiting = undefined
      const run = work()
      running = run.catch(() => undefined) // whoever asked for it learns of it
      return run
    })
    return waiting
  }
}

/** Pieces of asynchronous work, one after the other; of several owners each has one in turn. */
export function createFairTurns() {
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
