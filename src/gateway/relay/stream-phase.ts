import type { Observation } from '../../protocols/canonical/observation.ts'

// How far a streamed answer has come, by what was seen of it.

/** All that the answer began with was brought to its end, or to an error. */
export const hasEnded = (seen: Observation) => seen.outcome !== undefined && seen.phase !== 'open'

/** The protocol's own last event was seen: nothing that follows changes the charge. */
export const isFinal = (seen: Observation) => seen.phase === 'closed' && seen.outcome !== 'failed'

/** It goes on in the background without a reader: its end is fetched by its id. */
export const isFetchable = (seen: Observation) => seen.pending && seen.answerId !== undefined

/** This could be all; but usage may still follow, even behind an error. */
export const mayEnd = (seen: Observation) => seen.phase !== 'open' && !isFinal(seen)

/** Its end was read, and with it all that is told of what it used. */
export const isReadWhole = (seen: Observation, isClosed: boolean) =>
  hasEnded(seen) && (isClosed || isFinal(seen) || seen.usage !== undefined)
