import { effectiveRates } from '../../billing/charge.ts'
import { reasonsOf } from '../../catalog/model-facts.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import type { BodyFacts } from '../body/body.ts'
import type { Exchange } from '../exchange.ts'
import { countedLength } from '../money/estimate.ts'

// A client that disconnects early pays the input, and the output. The answer is read to its end
// unless all that is billed is visible on the way.

/** Whether everything billable was seen and the group does not drain: the upstream may stop. */
export function isAllSeen(exchange: Exchange, seen: Observation): boolean {
  return exchange.plan?.group.onDisconnect !== 'drain' && showsAll(exchange, seen)
}

/** Whether everything billable was seen. */
export function showsAll(exchange: Exchange, seen: Observation): boolean {
  const { facts, operation, protocol } = exchange
  if (!facts?.stream || operation !== protocol.generation || seen.pending) return false
  if (hidesWork(exchange)) return false
  return reportsInput(seen) || (isCountable(facts) && !mayWriteLongCache(exchange))
}

/** Whether input may be written to a dearer prompt cache: only the upstream knows how much. */
function mayWriteLongCache({ plan }: Exchange): boolean {
  const terms = plan?.offer.price.terms
  if (terms?.unit !== 'tokens') return false
  return [terms.base, ...terms.tiers].some((rates) => {
    const { input, cacheWrite, cacheWrite1h } = effectiveRates(rates)
    return Math.max(cacheWrite, cacheWrite1h) > input
  })
}

/** Whether the upstream has reported its input: at the end, or (messages) at once. */
export const reportsInput = (seen: Observation) => seen.usage !== undefined && !seen.lacksInput

/** The characters allowed around the text of a request, plus one for this many of the text. */
const frameLength = 2_048
const textPerFrame = 8

/** Whether the input can be counted here: all known text, and hardly anything beside it. */
function isCountable(facts: BodyFacts): boolean {
  if (facts.hasUnseenInput) return false
  const { tokens, isUnseen } = facts.media()
  if (tokens > 0 || isUnseen) return false
  const { length } = facts.text()
  return length <= countedLength && facts.uncounted() <= frameLength + length / textPerFrame
}

/** Whether the upstream may have read input that is not counted here: files, stored input, tool results. */
export function hidesInput({ facts, reservation }: Exchange, seen: Observation): boolean {
  if (facts === undefined || facts.takesTurns) return true
  if (seen.usage !== undefined && !seen.lacksInput) return false
  const isKept = facts.continues.length > 0 && reservation?.continuedTokens === undefined
  const { tokens, isUnseen } = facts.media()
  return facts.hasUnseenInput || isKept || isUnseen || tokens > 0
}

/** Whether the upstream may do work that its stream does not show; unknown fields count as such. */
function hidesWork({ facts, route, candidate }: Exchange): boolean {
  const hidden = (route?.translation ?? facts)?.hiddenWork?.() ?? 'some'
  if (hidden === 'some' || candidate === undefined || facts?.takesTurns !== false) return true
  const reasons = reasonsOf(candidate.upstreamModel)
  return reasons === 'always' || (reasons === 'unless_off' && hidden !== 'none')
}

/** A client that held its upstream up for this long, in milliseconds, may have caused the break. */
export const heldUpMs = 10_000

/** Texts about a disconnected client's charge, for its record. */
export const disconnectTexts = {
  seen: 'The client disconnected before the answer ended. Such a request has no hidden work, so the upstream was stopped: what it had read and sent by then is charged.',
  read: 'The client disconnected before the answer ended. Hidden work (reasoning, for example) is reported only at the end, so the answer was read to its end and is charged as a whole.',
  whole:
    'The client disconnected before the answer came. Its cost is reported only with the whole answer, so it is charged as a whole.',
  drained:
    'The client disconnected before the answer ended. Its group reads every answer to its end, and charges it as a whole.',
  heldUp:
    "The client read so slowly that the answer broke off. The model's hidden work (reasoning, for example) is unknown, so the amount reserved for the request is charged.",
  lost: "The client disconnected before the answer ended, and its end could not be read. The model's hidden work (reasoning, for example) is unknown, so the amount reserved for the request is charged.",
} as const
