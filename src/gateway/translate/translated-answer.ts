import { arrayIn, isJsonObject, parseJsonObject } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import type { Route } from '../admit/options.ts'
import type { Exchange } from '../exchange.ts'
import type { Refusal } from '../upstream/answer.ts'
import { hideSecrets } from '../upstream/hide-secrets.ts'
import type { AnswerFacts } from './translation.ts'

/** What a translation must know of the request that is being answered. */
export function answerFacts(exchange: Exchange): AnswerFacts {
  const { requestId, model = '', startedAt, reservation, framing, library, keeping: own } = exchange
  const inputTokens = reservation?.inputTokens ?? 0
  return { requestId, model, startedAt, inputTokens, framing, library, own }
}

/** What the body of a refusal holds; gemini's may be the only element of an array. */
function readBody(bytes: Uint8Array): JsonObject {
  const text = new TextDecoder().decode(bytes)
  const [only] = arrayIn(parseJsonObject(`{"list":${text}}`), 'list')
  return parseJsonObject(text) ?? (isJsonObject(only) ? only : {})
}

/** The upstream's fault with the request, in the shape that the client's SDK reads. */
export function translateRefusal(refusal: Refusal, exchange: Exchange, route: Route): Refusal {
  const { protocol, requestId, candidate } = exchange
  if (route.translation === undefined) return refusal
  const { message, code } = route.translation.refusal(readBody(refusal.bytes))
  const shown = candidate ? hideSecrets(message, candidate.channel) : message
  const text = protocol.encodeError({
    status: refusal.status,
    code: code ?? 'upstream_refused',
    message: shown,
    // A path in the upstream's protocol would name a field that the client has not sent.
    param: undefined,
    requestId,
  })
  return { ...refusal, contentType: 'application/json', bytes: new TextEncoder().encode(text) }
}
