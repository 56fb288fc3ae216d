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
