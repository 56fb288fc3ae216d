import { grouped } from '../../lib/format.ts'
import type { Ending, StoredRequest } from '../../store/ports/records.ts'
import { contextTokens } from '../charge.ts'

/** What each ending means, for those that no cause explains. */
export const endingWords: Readonly<Record<Ending, string>> = {
  complete: '',
  incomplete: 'the model stopped early, at a limit or by a filter',
  failed: 'the request failed',
  cut: 'the answer was cut off',
  client_left: 'the client left before the end',
  shutdown: 'the gateway was stopped before the end',
  interrupted: 'the gateway was ended while this request was under way',
  refused: 'the request was refused',
  background: 'the answer is made in the background',
}

/** What kept the upstream's report of usage away. */
const unreported: Readonly<Record<Ending, string>> = {
  complete: 'The upstream ended its answer without reporting',
  incomplete: 'The upstream ended its answer without reporting',
  failed: 'The upstream failed without reporting',
  cut: 'The answer was cut off before the upstream reported',
  client_left: 'The client left before the upstream reported',
  shutdown: 'The gateway was stopped before the upstream reported',
  interrupted: 'The gateway was ended before the upstream reported',
  refused: 'The request was refused before the upstream reported',
  background: 'The answer is made in the background: the upstream has not reported its',
}

/** Why the gateway counted for itself; null where the upstream's report is what was charged. */
export function estimatedReason(request: StoredRequest): string | null {
  const { estimated, cause, ending, usageRaw } = request
  if (!estimated) return null
  if (cause === 'background_lost') {
    return 'The upstream can not tell what the answer has used, so what was set aside for it is charged.'
  }
  return usageRaw === null
    ? `${unreported[ending]} usage, so the gateway counted what was asked and what was delivered.`
    : `${unreported[ending]} its final usage, so the gateway counted the output that was delivered.`
}

/** What it means that a report was cut down; null where it was not. */
export function clampedReason(request: StoredRequest): string | null {
  if (!request.clamped) return null
  const who = request.usageRaw === null ? 'The gateway counted' : 'The upstream reported'
  const context = grouped(contextTokens(request))
  return (
    `${who} more than the model's context window can hold. Charged is what fits: ` +
    `${context} tokens of context and ${grouped(request.outputTokens)} of output.`
  )
}
