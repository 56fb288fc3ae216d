import type { Concluded } from '../exchange.ts'
import { balanceUsedUp, type End } from '../money/record.ts'
import type { AvailabilityOutcome } from './availability.ts'

/** How an ended request counts in what is told of its group and model; undefined: not at all. */
export function outcomeOf(
  exchange: Concluded,
  end: End,
  outputTokens: number,
  nowTick: number,
): AvailabilityOutcome | undefined {
  const { plan, operation, facts, firstByteTick, startedTick } = exchange
  if (!operation.charged || plan === undefined) return undefined
  const fault = faultOf(exchange, end)
  if (fault === undefined) return undefined
  // A whole answer has no beginning of its own.
  const isTimed = fault === null && facts?.stream === true && firstByteTick !== undefined
  return {
    groupId: plan.group.id,
    model: plan.offer.model,
    fault,
    firstByteMs: isTimed ? firstByteTick - startedTick : null,
    outputTokens,
    generationMs: isTimed ? nowTick - firstByteTick : null,
  }
}

/** Who made it fail; null: nobody, it was served. */
function faultOf(
  { fault, firstByteTick }: Concluded,
  { ending, cause }: End,
): AvailabilityOutcome['fault'] | undefined {
  switch (ending) {
    case 'complete':
    case 'incomplete':
      return null
    case 'client_left':
      return firstByteTick === undefined ? undefined : null
    case 'refused':
      // What an upstream lacks is told in its own words, as a refusal is.
      return fault ?? 'client'
    case 'shutdown':
    case 'interrupted':
      return 'gateway'
    case 'failed':
    case 'cut':
      if (cause === balanceUsedUp) return 'client'
      return cause === 'internal' ? 'gateway' : (fault ?? 'upstream')
  }
}
