import { unavailable } from './published.ts'

/** Time that building pages may take at once, in milliseconds: a person's, or a crawler's, pages wait for nothing. */
const mostCreditMs = 1_000
/** Part of the processor that building pages may take for long. */
const share = 0.15
/** What one build may leave to the next at most: on a machine that is busy with other things it took long, but not much. */
const mostDebtMs = 300
/** Builds that wait; whatever comes then is refused. */
const mostWaiting = 64

class Busy extends Error {}

/**
 * Builds pages that anybody may ask for, each with an address or a search of its own: one at a time, and for long
 * with a small part of the processor, for the same one answers the requests of models.
 */
export function createTurns(
  tick: () => number = () => performance.now(),
  sleep: (ms: number) => Promise<void> = Bun.sleep,
) {
  let creditMs = mostCreditMs
  let countedTick = tick()
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  async function run<Built>(build: () => Built | Promise<Built>): Promise<Built> {
    const now = tick()
    const earnedMs = creditMs + (now - countedTick) * share
    creditMs = Math.max(-mostDebtMs, Math.min(mostCreditMs, earnedMs))
    countedTick = now
    if (creditMs < 0) await sleep(-creditMs / share)
    const startedTick = tick()
    try {
      return await build()
    } finally {
      creditMs -= tick() - startedTick
    }
  }

  /** Resolves to what is built. Throws where too many wait: `orBusy` answers so. */
  return async <Built>(build: () => Built | Promise<Built>): Promise<Built> => {
    if (waiting >= mostWaiting) throw new Busy('too many pages are being built')
    waiting++
    const turn = last.then(() => run(build))
    last = turn.catch(() => {})
    try {
      return await turn
    } finally {
      waiting--
    }
  }
}

/** All pages of the site share their time. */
export const inTurn = createTurns()

/** A page, or 503 where too many are being built. */
export async function orBusy(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof Busy)) throw error
    return unavailable('text/plain', 'Too many pages are asked for. Try again in a minute.\n')
  }
}
