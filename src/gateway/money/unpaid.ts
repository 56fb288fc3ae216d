import type { Observation } from '../../protocols/canonical/observation.ts'
import { hidesInput } from '../relay/leaving.ts'
import type { RelayParts } from '../relay/relay-parts.ts'
import type { Tap } from '../relay/tap.ts'
import type { Meter } from './meter.ts'

/** The answer has more text than the meter has counted. */
export const isBeyond = (meter: Meter, seen: Observation) => seen.text.bytes > meter.limit

/**
 * The part of the last bytes that is paid for, when the money has ended; else undefined. `isOwing`: what was
 * read for the answer was not told by then, so the rest still counts.
 */
export async function cutUnpaid({ exchange, meter, answer }: RelayParts, tap: Tap) {
  if (await meter.cover(answer.observer.seen)) return undefined
  // The largest number of whole frames that is paid for; `frameCount` of them are all.
  let [paid, unpaid] = [tap.firstNear(), tap.frameCount() + 1]
  while (unpaid - paid > 1) {
    const middle = Math.floor((paid + unpaid) / 2)
    if (await meter.pays(tap.before(middle))) paid = middle
    else unpaid = middle
  }
  const isOwing = hidesInput(exchange, tap.before(paid))
  return { bytes: tap.cutBefore(paid, !isOwing), isOwing }
}
