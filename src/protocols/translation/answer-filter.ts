import { foldEvents, unfoldResponse } from '../canonical/fold.ts'
import type { Quirk } from '../canonical/quirks.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import type { CanonicalResponse } from '../canonical/response.ts'
import type { ProtocolName } from '../protocol.ts'
import type { EventFilter } from './event-filter.ts'
import { type FeatureName, wayOf } from './features.ts'
import { createJsonFilter } from './json-answer.ts'
import { createStopFilter } from './stop-answer.ts'

/**
 * What an answer needs that its upstream can't do; undefined: nothing, as of nearly all.
 * An answer that is not to be had is an error event at its end, whose upstream is read whole.
 */
export function answerFilter(
  { format, stop }: CanonicalRequest,
  upstream: ProtocolName,
  quirks: ReadonlySet<Quirk>,
): (() => EventFilter) | undefined {
  const isAdapted = (feature: FeatureName) => wayOf(feature, upstream, quirks) === 'adapted'
  // No vendor needs both.
  if (stop !== undefined && isAdapted('stop')) return () => createStopFilter(stop)
  if (format?.type !== 'json' || !isAdapted('json_mode')) return undefined
  return () => createJsonFilter(format.isAny === true)
}

/** The same for a whole answer. */
export function filterResponse(
  response: CanonicalResponse,
  filter: EventFilter | undefined,
): CanonicalResponse {
  if (filter === undefined) return response
  return foldEvents(unfoldResponse(response).flatMap((event) => filter.push(event)))
}
