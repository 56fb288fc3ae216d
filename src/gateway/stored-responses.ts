import type { Catalog, Channel } from '../catalog/catalog.ts'
import type { Protocol } from '../protocols/protocol.ts'
import type { Affinity } from './affinity.ts'
import type { Caller } from './authenticate.ts'
import { GatewayError, modelHeaders } from './errors.ts'
import { classifyFailure, classifyStatus, failureClasses, finalError } from './failures.ts'
import { hideSecretsIn } from './hide-secrets.ts'
import type { Outbound } from './outbound.ts'
import { readRefusal } from './upstream-answer.ts'
import { baseOf, upstreamHeaders } from './upstream-call.ts'

export interface StoredResponseParts {
  readonly catalog: () => Catalog
  readonly affinity: Affinity
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
  const origin = parts.affinity.originOf(caller.token.id, id)
  const channel = origin && parts.catalog().channels.get(origin.channelId)
  if (channel === undefined || !(protocol.name in channel.speaks)) {
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
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), channel.timeouts.firstByteMs)
  try {
    const answer = await parts.outbound({
      url: protocol.url(baseOf(channel, protocol.name), path),
      method: request.method,
      headers: upstreamHeaders({ protocol, request }, channel, null),
      body: undefined,
      signal: AbortSignal.any([controller.signal, request.signal]),
      allowPrivate: channel.allowPrivate,
      connectMs: channel.timeouts.connectMs,
    })
    const failed = answer.ok ? undefined : classifyStatus(answer.status)
    if (failed) {
      await answer.body?.cancel()
      throw finalError([{ name: failed, status: answer.status }])
    }
    if (!answer.ok) return await passRefusal(parts, channel, answer, requestId)
    const bytes = hideSecretsIn(new Uint8Array(await answer.arrayBuffer()), channel)
    if (request.method === 'GET') {
      await origin?.chargeFetched?.(JSON.parse(new TextDecoder().decode(bytes)), requestId)
    }
    const contentType = answer.headers.get('content-type') ?? 'application/json'
    const headers = modelHeaders(protocol, requestId, contentType)
    return new Response(bytes as Bun.BodyInit, { status: answer.status, headers })
  } catch (error) {
    if (error instanceof GatewayError) throw error
    if (error instanceof SyntaxError) throw finalError([{ name: 'upstream_invalid', status: null }])
    const name = controller.signal.aborted ? 'timeout_first_byte' : classifyFailure(error)
    throw new GatewayError(failureClasses[name].answer, failureClasses[name].message)
  } finally {
    clearTimeout(timer)
  }
}

/** The upstream's own words about the client's fault, as far as they are its API's. */
async function passRefusal(
  { protocol }: StoredResponseParts,
  channel: Channel,
  answer: Response,
  requestId: string,
): Promise<Response> {
  const refusal = await readRefusal(answer, channel)
  if (refusal === undefined) throw finalError([{ name: 'upstream_invalid', status: answer.status }])
  const headers = modelHeaders(protocol, requestId, refusal.contentType)
  return new Response(refusal.bytes as Bun.BodyInit, { status: answer.status, headers })
}
