import type { CanonicalRequest } from '../../protocols/canonical/request.ts'
import { isJsonObject, parseJsonObject } from '../../protocols/json.ts'
import { createPlainObserver } from '../../protocols/observer.ts'
import { countRequestTokens } from '../../protocols/translation/count-tokens.ts'
import { openRequest, type Sealer } from '../../protocols/translation/seal.ts'
import { tokenFamily } from '../../protocols/translation/token-families.ts'
import type { Admitted } from '../admit/admit.ts'
import { preferred, protocolOf } from '../admit/options.ts'
import type { RequestBody } from '../body/body.ts'
import type { BodyThread, CountJob } from '../body-thread/job.ts'
import { isHeavy } from '../body-thread/prepare.ts'
import { GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { type CountTokens, estimateTokens, sampleOf } from '../money/estimate.ts'
import { decodeRequest, originOf } from '../translate/translation.ts'
import type { Answer, BodyAnswer, Refusal } from './answer.ts'

interface CountParts {
  readonly sealer: Sealer
  readonly countTokens: CountTokens
  readonly bodyThread?: BodyThread | undefined
}

/** The upstream has no endpoint for counts: its error is not in its vendor's form. */
function isMissing({ status, bytes }: Refusal): boolean {
  if (status !== 404 && status !== 405) return false
  return !isJsonObject(parseJsonObject(new TextDecoder().decode(bytes))?.error)
}

/** A count of the input: by a native upstream, else, or when that fails, here. */
export async function answerCount(
  parts: CountParts,
  exchange: Exchange,
  { body, options }: Admitted,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  // The earlier turns of a thread are not in the body: only its upstream can count them.
  const isTail = body.facts.continues.length > 0
  if (options.length > 0) {
    try {
      const answer = await ask()
      if (isTail || answer.kind !== 'refusal' || !isMissing(answer)) return answer
    } catch (error) {
      const isUpstreams = error instanceof GatewayError && error.status >= 500
      if (isTail || !isUpstreams || exchange.interruption !== undefined) throw error
    }
  }
  if (isTail) throw threadNotKept()
  return countHere(parts, exchange, body)
}

const threadNotKept = () =>
  new GatewayError(
    'unsupported_parameter',
    'thread names a conversation that no channel of this model keeps. Send the whole conversation instead.',
    { param: 'thread' },
  )

/** About this many characters are counted; the rest is extrapolated. */
const countedInAll = 1_000_000
const usualTokenLength = 4

/** Counts the input of a decoded request as an upstream's vendor would. */
export function countDecoded(
  { sealer, countTokens }: Pick<CountParts, 'sealer' | 'countTokens'>,
  asked: CanonicalRequest,
  { upstream, upstreamModel, url }: Pick<CountJob, 'upstream' | 'upstreamModel' | 'url'>,
): Promise<number> {
  // Seals are longer than their contents.
  const request =
    url === undefined ? asked : openRequest(asked, originOf(url, protocolOf(upstream)), sealer)
  const family = tokenFamily({ model: upstreamModel, protocol: upstream, url })
  let left = countedInAll
  return countRequestTokens(request, family, async (text) => {
    if (left <= 0) return text.length / usualTokenLength
    left -= text.length
    return estimateTokens(sampleOf(text), countTokens)
  })
}

async function countHere(
  parts: CountParts,
  exchange: Exchange,
  body: RequestBody,
): Promise<BodyAnswer> {
  const { protocol, model = '', plan, caller } = exchange
  const [candidate] = plan?.offer.candidates ?? []
  const upstream = preferred(Object.keys(candidate?.channel.speaks ?? {}), protocol)
  const url = candidate?.channel.speaks[upstream.name]
  const upstreamModel = candidate?.upstreamModel ?? model
  const values = body.fields?.values ?? 0
  const job: CountJob = {
    ...{ kind: 'count', bytes: body.bytes, values, stream: false, client: protocol.name, model },
    ...{ upstream: upstream.name, upstreamModel, url },
  }
  const owner = String(caller?.account.id)
  const tokens =
    parts.bodyThread !== undefined && isHeavy(body)
      ? await parts.bodyThread.run<'count'>(owner, job, exchange.request.signal)
      : await countDecoded(parts, decodeRequest(protocol, body, model), job)
  const answer = protocol.codec.encodeCount(tokens)
  const observer = createPlainObserver()
  observer.pushBody(answer)
  const bytes = new TextEncoder().encode(JSON.stringify(answer))
  return { kind: 'body', contentType: 'application/json', bytes, observer }
}
