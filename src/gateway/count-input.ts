import { isJsonObject, parseJsonObject } from '../protocols/json.ts'
import { createPlainObserver } from '../protocols/plain-observer.ts'
import { countRequestTokens } from '../protocols/translation/count-tokens.ts'
import { openRequest, type Sealer } from '../protocols/translation/seal.ts'
import { tokenFamily } from '../protocols/translation/token-families.ts'
import type { Answer, BodyAnswer, Refusal } from './answer.ts'
import type { RequestBody } from './body.ts'
import { GatewayError } from './errors.ts'
import { type CountTokens, estimateTokens } from './estimate.ts'
import type { Exchange } from './exchange.ts'
import { preferred } from './options.ts'
import { decodeRequest, originOf } from './translation.ts'

export interface CountParts {
  readonly sealer: Sealer
  readonly countTokens: CountTokens
}

/** An upstream that has no endpoint for counts: what it says is not in its vendor's form of an error. */
function isMissing({ status, bytes }: Refusal): boolean {
  if (status !== 404 && status !== 405) return false
  return !isJsonObject(parseJsonObject(new TextDecoder().decode(bytes))?.error)
}

/**
 * A count of a request's input: by an upstream that speaks the client's protocol, else counted here.
 * What fails upstream is counted here, too: a count is never worth an error.
 */
export async function countInput(
  parts: CountParts,
  exchange: Exchange,
  body: RequestBody,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  if (exchange.options.length > 0) {
    try {
      const answer = await ask()
      if (answer.kind !== 'refusal' || !isMissing(answer)) return answer
    } catch (error) {
      const isUpstreams = error instanceof GatewayError && error.status >= 500
      if (!isUpstreams || exchange.interruption !== undefined) throw error
    }
  }
  return countHere(parts, exchange, body)
}

async function countHere(
  { sealer, countTokens }: CountParts,
  exchange: Exchange,
  body: RequestBody,
): Promise<BodyAnswer> {
  const { protocol, model = '', plan } = exchange
  const asked = decodeRequest(protocol, body, model)
  const [candidate] = plan?.offer.candidates ?? []
  const upstream = preferred(Object.keys(candidate?.channel.speaks ?? {}), protocol)
  const url = candidate?.channel.speaks[upstream.name]
  // Seals are longer than what is in them.
  const request = url === undefined ? asked : openRequest(asked, originOf(url, upstream), sealer)
  const upstreamModel = candidate?.upstreamModel ?? model
  const family = tokenFamily({ model: upstreamModel, protocol: upstream.name, url })
  const answer = protocol.codec.encodeCount(
    await countRequestTokens(request, family, (text) =>
      estimateTokens(text, text.length, countTokens),
    ),
  )
  const observer = createPlainObserver()
  observer.pushBody(answer)
  const bytes = new TextEncoder().encode(JSON.stringify(answer))
  return { kind: 'body', contentType: 'application/json', bytes, observer }
}
