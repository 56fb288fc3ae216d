import { LRUCache } from 'lru-cache'
import { growing } from '../../lib/cache-options.ts'

/** On whose behalf work is done. */
export interface Asking {
  /** Known ones go before strangers, but for one turn in `strangersEvery`. */
  readonly isKnown: boolean
  /** What it shares with others: its network, its account. The more wait of these, the later it is. */
  readonly shares: readonly string[]
}

interface Waiting {
  /** Its turn among those of its kind. */
  readonly turn: number
  begin(): void
  giveUp(): void
}

/** So many networks and accounts are told apart at once. */
const mostShares = 5_000

export interface LineOptions {
  readonly atOnce: number
  /** Of known ones, and of strangers. */
  readonly mostWaiting: number
}

/** Of so many turns one is a stranger's: known ones, who are many or come often, keep nobody out. */
const strangersEvery = 4

/**
 * A line before work that is scarce, fair by what those in it share: whoever is the third of a network or
 * of an account waits with the third ones of all others. Known ones and strangers stand side by side: when
 * one side is full, its last leaves it.
 */
export function createLine({ atOnce, mostWaiting }: LineOptions) {
  const known: Waiting[] = []
  const strangers: Waiting[] = []
  /** The next turn of what has been seen since the line was last empty. */
  const nextTurns = new LRUCache<string, number>(growing(mostShares))
  let active = 0
  /** Turns of known ones since the last of a stranger. */
  let knownTurns = 0
  let present = 0

  /** Of one network, or about one account, turns come one after the other. */
  function turnOf({ shares }: Asking): number {
    const turn = Math.max(present, ...shares.map((one) => nextTurns.get(one) ?? 0))
    for (const one of shares) nextTurns.set(one, turn + 1)
    return turn
  }

  /** In order; of equals, who came first. */
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

  /** Runs `work` in its turn; rejects with `refusal` for who is the last of a line that is full. */
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
