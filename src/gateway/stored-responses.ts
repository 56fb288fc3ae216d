import type { Catalog, Channel } from '../catalog/catalog.ts'
import type { Protocol } from '../protocols/protocol.ts'
import type { Origin } from './affinity.ts'
import type { Caller } from './authenticate.ts'
import { collectBytes, TooManyBytes } from './bounded-bytes.ts'
import { type ChargeParts, chargeFetched } from './charge-fetched.ts'
import { GatewayError, modelHeaders } from './errors.ts'
import {
  classifyAnswer,
  classifyFailure,
  type FailureName,
  finalError,
} from './failures/failures.ts'
import { hideSecretsIn } from './hide-secrets.ts'
import type { Outbound } from './outbound/outbound.ts'
import { readRefusal } from './upstream-answer.ts'
import { baseOf, upstreamHeaders } from './upstream-call.ts'

export interface StoredResponseParts extends ChargeParts {
  readonly catalog: () => Catalog
  readonly outbound: Outbound
  readonly protocol: Protocol
}

/**
 * `GET` and `DELETE /v1/responses/{id}`: sent to the channel that made the response, for the token
 * that asked for it. Throws 404 for ids that this token has not got from here lately.
 */
export async function forwardStoredResponse(
  parts: StoredResponseParts,
  caller: Caller,
  request: Request,
  id: string,
  requestId: string,
): Promise<Response> {
  const { protocol } = parts
  await parts.affinity.look(caller.token.id, [id])
  const origin = parts.affinity.originOf(caller.token.id, id)
  const channel = origin && parts.catalog().channels.get(origin.channelId)
  if (!channel || !(protocol.name in channel.speaks)) {
    throw new GatewayError('response_not_found', `Response with id '${id}' not found.`)
  }
  const { search, searchParams } = new URL(request.url)
  if (searchParams.get('stream') === 'true') {
    throw new GatewayError(
      'unsupported_parameter',
      'A stored response can be fetched whole only, not as a stream. Leave out stream=true.',
      { param: 'stream' },
    )
  }
  const path = `/responses/${encodeURIComponent(id)}${search}`
  const late = new AbortController()
  const { firstByteMs, totalMs } = channel.timeouts
  const timer = setTimeout(() => late.abort(), Math.min(firstByteMs, totalMs))
  try {
    const answer = await parts.outbound({
      url: protocol.url(baseOf(channel, protocol.name), path),
      method: request.method,
      headers: upstreamHeaders({ protocol, request }, keyOf(origin, channel), null),
      body: undefined,
      signal: AbortSignal.any([late.signal, request.signal]),
      allowPrivate: channel.allowPrivate,
      connectMs: channel.timeouts.connectMs,
      proxy: channel.proxy,
    })
    if (!answer.ok) return await passRefusal(parts, channel, answer, requestId)
    const bytes = hideSecretsIn(await collectBytes(answer, maxAnswerBytes), channel)
    const body = () => JSON.parse(new TextDecoder().decode(bytes))
    const chargedAs =
      request.method === 'GET' && origin.pending
        ? await chargeFetched(parts, { caller, channel, protocol, id, origin }, body())
        : undefined
    const contentType = answer.headers.get('content-type') ?? 'application/json'
    const headers = modelHeaders(protocol, chargedAs ?? requestId, contentType)
    return new Response(bytes as Bun.BodyInit, { status: answer.status, headers })
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw finalError([
      { name: late.signal.aborted ? 'timeout_first_byte' : nameOf(error), status: null },
    ])
  } finally {
    clearTimeout(timer)
  }
}

/** A stored answer larger than this is not one that could be understood. */
const maxAnswerBytes = 256 * 1_048_576

/** The key that the answer was made with: another one's account may not have it. */
function keyOf({ key }: Origin, channel: Channel): string {
  const [first] = channel.keys
  if (first === undefined) throw new Error(`channel ${channel.name} has no key`)
  return channel.keys.includes(key) ? key : first
}

function nameOf(error: unknown): FailureName {
  const isUnreadable = error instanceof SyntaxError || error instanceof TooManyBytes
  return isUnreadable ? 'upstream_invalid' : classifyFailure(error)
}

/** The upstream's own words about the client's fault, as far as they are its API's. */
async function passRefusal(
  { protocol }: StoredResponseParts,
  channel: Channel,
  answer: Response,
  requestId: string,
): Promise<Response> {
  const { status } = answer
  const { refusal, value } = await readRefusal(answer, channel)
  const failed = classifyAnswer(protocol.name, status, value)
  // That there is no such response is what the client asked for, whatever it would say of a model.
  if (failed && failed !== 'model_unavailable') throw finalError([{ name: failed, status }])
  if (refusal === undefined) throw finalError([{ name: 'upstream_invalid', status }])
  const headers = modelHeaders(protocol, requestId, refusal.contentType)
  return new Response(refusal.bytes as Bun.BodyInit, { status, headers })
}
