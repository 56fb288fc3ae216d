import { LRUCache } from 'lru-cache'
import { growing } from '../../lib/cache-options.ts'

/** On whose behalf work is done. */
export interface Asking {
  /** Known ones go before strangers. */
  readonly isKnown: boolean
  /** What it shares with others: its network, its account. The more wait of these, the later it is. */
  readonly shares: readonly string[]
}

interface Waiting {
  readonly asking: Asking
  /** Its turn among those of its kind. */
  readonly turn: number
  begin(): void
  giveUp(): void
}

/** So many networks and accounts are told apart at once. */
const mostShares = 5_000

export interface LineOptions {
  readonly atOnce: number
  readonly mostWaiting: number
}

/**
 * A line before work that is scarce, fair by what those in it share: whoever is the third of a network or
 * of an account waits with the third ones of all others. When it is full, the last leaves it.
 */
export function createLine({ atOnce, mostWaiting }: LineOptions) {
  const waiting: Waiting[] = []
  /** The next turn of what has been seen since the line was last empty. */
  const nextTurns = new LRUCache<string, number>(growing(mostShares))
  let active = 0
  let present = 0

  /** Of one network, or about one account, turns come one after the other. */
  function turnOf({ shares }: Asking): number {
    const turn = Math.max(present, ...shares.map((one) => nextTurns.get(one) ?? 0))
    for (const one of shares) nextTurns.set(one, turn + 1)
    return turn
  }

  /** In order; of equals, who came first. */
  function add(one: Waiting): void {
    const isBefore = (other: Waiting) =>
      one.asking.isKnown === other.asking.isKnown ? one.turn < other.turn : one.asking.isKnown
    const at = waiting.findIndex(isBefore)
    waiting.splice(at < 0 ? waiting.length : at, 0, one)
    if (waiting.length > mostWaiting) waiting.pop()?.giveUp()
  }

  function leave(): void {
    const next = waiting.shift()
    if (next) {
      present = Math.max(present, next.turn)
      next.begin()
      return
    }
    active--
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
        add({ asking, turn, begin, giveUp: () => reject(refusal()) }),
      )
    }
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
