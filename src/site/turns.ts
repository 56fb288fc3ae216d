import { addressKey, networkKey } from '../lib/addresses.ts'
import { createLine } from '../lib/line.ts'
import { unavailable } from './published.ts'

/** Time that building pages may take at once, in milliseconds: a person's, or a crawler's, pages wait for nothing. */
const mostCreditMs = 1_000
/** Part of the processor that building pages may take for long. */
const share = 0.15
/** What one build may leave to the next at most: on a machine that is busy with other things it took long, but not much. */
const mostDebtMs = 300
/** Builds that wait beside the one under way; of more, the last of whoever has the most there is refused. */
const mostWaiting = 63

class Busy extends Error {}

/** The address and the network that ask for a page: builds for the same ones wait for each other. */
export type Asker = readonly string[]

/** Who sends a request. */
export type AskerOf = (call: {
  readonly request: Request
  readonly server: { requestIP(request: Request): { address: string } | null } | null
}) => Asker

export const askerAt = (address: string): Asker => [addressKey(address), networkKey(address)]

/**
 * Builds pages that anybody may ask for, each with an address or a search of its own: one at a time, fairly among
 * those who ask, and for long with a small part of the processor, for the same one answers the requests of models.
 */
export function createTurns(
  tick: () => number = () => performance.now(),
  sleep: (ms: number) => Promise<void> = Bun.sleep,
) {
  const line = createLine({ atOnce: 1, mostWaiting })
  let creditMs = mostCreditMs
  let countedTick = tick()

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
  return <Built>(shares: Asker, build: () => Built | Promise<Built>): Promise<Built> =>
    line(
      { isKnown: false, shares },
      () => run(build),
      () => new Busy('too many pages are being built'),
    )
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
