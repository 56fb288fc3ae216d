import type { Channel } from '../../catalog/catalog.ts'
import { afterRunning } from '../../lib/clock.ts'
import { responses } from '../../protocols/responses/index.ts'
import { ownResponseOf } from '../../protocols/responses/wire.ts'
import { StoreError } from '../../store/ports/store-error.ts'
import type { Caller } from '../admit/authenticate.ts'
import { type LimitParts, withinLimits } from '../admit/enter-limits.ts'
import type { Origin, Origins } from '../admit/origins.ts'
import { callerGroup } from '../admit/plan.ts'
import type { Background } from '../background/background.ts'
import { collectBytes, TooManyBytes } from '../body/bounded-bytes.ts'
import { GatewayError, modelHeaders } from '../errors.ts'
import {
  classifyAnswer,
  classifyFailure,
  type FailureName,
  finalError,
} from '../failures/failures.ts'
import type { Outbound, OutboundCall } from '../outbound/outbound.ts'
import type { OwnResponses } from '../own-responses/own-responses.ts'
import { hideSecretsIn } from '../upstream/hide-secrets.ts'
import { readRefusal } from '../upstream/upstream-answer.ts'
import { baseOf, upstreamHeaders, withoutKeys } from '../upstream/upstream-call.ts'

export interface StoredResponseParts extends LimitParts {
  readonly own: OwnResponses
  readonly origins: Origins
  readonly background: Pick<Background, 'requireEnd' | 'fetched'>
  readonly outbound: Outbound
}

interface StoredRequest {
  readonly caller: Caller
  readonly request: Request
  readonly id: string
  readonly requestId: string
}

/**
 * `GET` and `DELETE /v1/responses/{id}`: from the store, else by the channel that made it. Throws
 * 403 of the group, 404 of unknown ids. Background answers are charged when fetched whole, or
 * deleted.
 */
export async function forwardStoredResponse(
  parts: StoredResponseParts,
  ask: StoredRequest,
): Promise<Response> {
  const { origins } = parts
  const { caller, request, id } = ask
  callerGroup(parts.catalog(), caller)
  const kept = await answerOwn(parts, ask)
  if (kept) return kept
  await origins.look(caller.account.id, [id])
  const origin = origins.of(caller.account.id, id)
  const channel = origin && parts.catalog().channels.get(origin.channelId)
  if (!channel || !(responses.name in channel.speaks)) {
    throw new GatewayError('response_not_found', `Response with id '${id}' not found.`)
  }
  refuseStream(request)
  return await withinLimits(parts, caller, request.signal, async () => {
    if (request.method === 'DELETE') await parts.background.requireEnd(caller.account.id, id)
    return await passOn(parts, ask, origin, channel)
  })
}

async function passOn(
  parts: StoredResponseParts,
  { caller, request, id, requestId }: StoredRequest,
  { key }: Origin,
  channel: Channel,
): Promise<Response> {
  const late = new AbortController()
  const { firstByteMs, totalMs } = channel.timeouts
  const callOff = afterRunning(Math.min(firstByteMs, totalMs), () => late.abort())
  const { method } = request
  const search = withoutKeys(new URL(request.url).search)
  const signal = AbortSignal.any([late.signal, request.signal])
  try {
    const answer = await parts.outbound(
      storedCall({ channel, key, id, method, signal, search, request }),
    )
    if (!answer.ok) return await passRefusal(channel, answer, requestId)
    const bytes = hideSecretsIn(await collectBytes(answer, maxAnswerBytes), channel)
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes))
    // A client's query may leave parts out: then the gateway fetches the answer itself.
    const chargedAs =
      method === 'GET' && search === ''
        ? await parts.background.fetched(caller.account.id, id, body)
        : undefined
    const contentType = answer.headers.get('content-type') ?? 'application/json'
    const headers = modelHeaders(responses, chargedAs ?? requestId, contentType)
    return new Response(bytes as Bun.BodyInit, { status: answer.status, headers })
  } catch (error) {
    if (error instanceof GatewayError || error instanceof StoreError) throw error
    throw finalError([
      { name: late.signal.aborted ? 'timeout_first_byte' : nameOf(error), status: null },
    ])
  } finally {
    callOff()
  }
}

/** A larger stored answer is treated as invalid. */
const maxAnswerBytes = 256 * 1_048_576

function nameOf(error: unknown): FailureName {
  const isUnreadable = error instanceof SyntaxError || error instanceof TooManyBytes
  return isUnreadable ? 'upstream_invalid' : classifyFailure(error)
}

/** The upstream's own words about the client's fault, as far as they are its API's. */
async function passRefusal(
  channel: Channel,
  answer: Response,
  requestId: string,
): Promise<Response> {
  const { status } = answer
  const { refusal, value } = await readRefusal(answer, channel)
  const failed = classifyAnswer(responses.name, status, value)
  // A missing response is the client's fault, even if the error names a model.
  if (failed && failed !== 'model_unavailable') throw finalError([{ name: failed, status }])
  if (refusal === undefined) throw finalError([{ name: 'upstream_invalid', status }])
  const headers = modelHeaders(responses, requestId, refusal.contentType)
  return new Response(refusal.bytes as Bun.BodyInit, { status, headers })
}

/** Answers from the store; undefined: the account has no such response. */
async function answerOwn(
  parts: StoredResponseParts,
  { caller, request, id, requestId }: StoredRequest,
): Promise<Response | undefined> {
  const { own } = parts
  if (ownResponseOf(id) !== id) return undefined
  // The input may be much larger, and is not read.
  const [response] = await Array.fromAsync(own.findResponses(caller.account.id, [id]))
  if (response === undefined) return undefined
  refuseStream(request)
  return await withinLimits(parts, caller, request.signal, async () => {
    const headers = modelHeaders(responses, requestId, 'application/json')
    if (request.method !== 'DELETE') return new Response(response as Bun.BodyInit, { headers })
    await own.remove(caller.account.id, id)
    return new Response(JSON.stringify({ id, object: 'response', deleted: true }), { headers })
  })
}

function refuseStream({ url }: Request): void {
  if (new URL(url).searchParams.get('stream') !== 'true') return
  throw new GatewayError(
    'unsupported_parameter',
    'A stored response can be fetched whole only, not as a stream. Leave out stream=true.',
    { param: 'stream' },
  )
}

/** A call to a channel about an answer that it keeps. */
interface StoredAsk {
  readonly channel: Channel
  /** The key that made the answer: another account may not have it. */
  readonly key: string | undefined
  readonly id: string
  readonly method: string
  readonly signal: AbortSignal
  readonly search?: string
  /** The client's; absent: the gateway fetches it itself. */
  readonly request?: Pick<Request, 'headers'>
}

/** The call for an answer that a channel keeps. */
export function storedCall(ask: StoredAsk): OutboundCall {
  const { channel, id, method, signal, search = '', request = { headers: new Headers() } } = ask
  const [first] = channel.keys
  if (first === undefined) throw new Error(`channel ${channel.name} has no key`)
  const key = ask.key !== undefined && channel.keys.includes(ask.key) ? ask.key : first
  const path = `/responses/${encodeURIComponent(id)}${search}`
  return {
    url: responses.url(baseOf(channel, responses.name), path),
    method,
    headers: upstreamHeaders({ protocol: responses, request }, key, null),
    body: undefined,
    signal,
    allowPrivate: channel.allowPrivate,
    connectMs: channel.timeouts.connectMs,
    proxy: channel.proxy,
  }
}
