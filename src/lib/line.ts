import { LRUCache } from 'lru-cache'
import { entryLimit } from './cache-options.ts'

/** Who asks for a turn. */
export interface Asking {
  /** Known users precede strangers, except one turn in `strangersEvery`. */
  readonly isKnown: boolean
  /** Its network and account: waiters that share one are served later. */
  readonly shares: readonly string[]
}

interface LineOptions {
  readonly atOnce: number
  /** Known users, and strangers: so many of each. */
  readonly mostWaiting: number
}

interface Waiting {
  /** Its turn among waiters of the same kind. */
  readonly turn: number
  begin(): void
  giveUp(): void
}

/** At most so many networks and accounts are counted. */
const mostShares = 5_000

/** One of so many turns is a stranger's, so that known users never exclude strangers. */
const strangersEvery = 4

/**
 * A wait queue that is fair among networks and accounts: the third waiter of one is served with the third
 * waiters of all others. Known users and strangers have a side each; a full side drops its last waiter.
 */
export function createLine({ atOnce, mostWaiting }: LineOptions) {
  const known: Waiting[] = []
  const strangers: Waiting[] = []
  /** The next turn of each network and account since the queue was last empty. */
  const nextTurns = new LRUCache<string, number>(entryLimit(mostShares))
  let active = 0
  /** Turns of known users since the last stranger's. */
  let knownTurns = 0
  let present = 0

  /** Turns of one network or account are consecutive. */
  function turnOf({ shares }: Asking): number {
    const turn = Math.max(present, ...shares.map((one) => nextTurns.get(one) ?? 0))
    for (const one of shares) nextTurns.set(one, turn + 1)
    return turn
  }

  /** Sorted by turn; equal turns by arrival. */
  function add(one: Waiting, { isKnown }: Asking): void {
    const waiting = isKnown ? known : strangers
    const at = waiting.findIndex((other) => one.turn < other.turn)
    waiting.splice(at < 0 ? waiting.length : at, 0, one)
    if (waiting.length > mostWaiting) waiting.pop()?.giveUp()
  }

  function takeNext(): Waiting | undefined {
    const isStrangers = known.length === 0 || knownTurns >= strangersEvery - 1
    if (isStrangers && strangers.length > 0) {
      knownTurns = 0
      return strangers.shift()
    }
    knownTurns++
    return known.shift()
  }

  function leave(): void {
    const next = takeNext()
    if (next) {
      present = Math.max(present, next.turn)
      next.begin()
      return
    }
    active--
    knownTurns = 0
    nextTurns.clear()
    present = 0
  }

  /** Runs `work` in its turn; rejects with `refusal` for the last waiter of a full queue. */
  return async function inTurn<Result>(
    asking: Asking,
    work: () => Promise<Result>,
    refusal: () => Error,
  ): Promise<Result> {
    const turn = turnOf(asking)
    if (active < atOnce) active++
    else {
      await new Promise<void>((begin, reject) =>
        add({ turn, begin, giveUp: () => reject(refusal()) }, asking),
      )
    }
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
