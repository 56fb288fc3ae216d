import { responses } from '../../protocols/responses/index.ts'
import { ownResponseOf } from '../../protocols/responses/wire.ts'
import { type EnterParts, enterLimits } from '../admit/admit.ts'
import type { Caller } from '../admit/authenticate.ts'
import { GatewayError, modelHeaders } from '../errors.ts'
import type { OwnResponses } from './own-responses.ts'

export interface OwnRouteParts extends EnterParts {
  readonly own: OwnResponses
}

interface OwnAsk {
  readonly caller: Caller
  readonly request: Request
  readonly id: string
  readonly requestId: string
}

/**
 * `GET` and `DELETE /v1/responses/{id}` of a translated response, within the limits of who asks;
 * undefined: the account has got none of this id from here.
 */
export async function answerOwn(
  parts: OwnRouteParts,
  { caller, request, id, requestId }: OwnAsk,
): Promise<Response | undefined> {
  const { own } = parts
  if (ownResponseOf(id) !== id) return undefined
  // What it answers to may be much larger, and is not asked for.
  const [response] = await Array.fromAsync(own.findResponses(caller.account.id, [id]))
  if (response === undefined) return undefined
  refuseStream(request)
  const permit = await enterLimits(parts, caller, request.signal)
  try {
    const headers = modelHeaders(responses, requestId, 'application/json')
    if (request.method === 'DELETE') {
      await own.remove(caller.account.id, id)
      return new Response(JSON.stringify({ id, object: 'response', deleted: true }), { headers })
    }
    return new Response(response as Bun.BodyInit, { headers })
  } finally {
    permit?.release()
  }
}

/** Throws the 400 of a stored response that is asked for as a stream. */
export function refuseStream({ url }: Request): void {
  if (new URL(url).searchParams.get('stream') !== 'true') return
  throw new GatewayError(
    'unsupported_parameter',
    'A stored response can be fetched whole only, not as a stream. Leave out stream=true.',
    { param: 'stream' },
  )
}
