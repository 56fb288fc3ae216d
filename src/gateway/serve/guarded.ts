import { createRequestId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import type { Caller } from '../admit/authenticate.ts'
import type { Gatekeeper, HttpCall } from '../admit/gatekeeper.ts'
import { afterRest } from '../body/rest-of-body.ts'
import { asGatewayError, errorResponse, modelHeaders } from '../errors.ts'

export interface GuardParts {
  readonly gatekeeper: Gatekeeper
  readonly log: Logger
  readonly onRefused?: ((cause: string) => void) | undefined
}

interface Guarded {
  readonly call: HttpCall
  readonly protocol: Protocol
  /** The protocol of a 401, where the path decides it and not the reader. */
  readonly keyErrors?: Protocol
  readonly needsBalance?: boolean
}

/** Runs a handler for a checked caller; errors have the protocol's shape. */
export async function guarded(
  parts: GuardParts,
  guard: Guarded,
  handle: (caller: Caller, requestId: string) => unknown,
): Promise<Response> {
  const answer = await guardedAnswer(parts, guard, handle)
  return answer.ok ? answer : afterRest(guard.call.request, answer, answer.status === 401)
}

async function guardedAnswer(
  parts: GuardParts,
  { call, protocol, keyErrors = protocol, needsBalance = true }: Guarded,
  handle: (caller: Caller, requestId: string) => unknown,
): Promise<Response> {
  const requestId = createRequestId()
  try {
    const caller = await parts.gatekeeper.identify(call)
    parts.gatekeeper.check(caller, call, needsBalance)
    const value = await handle(caller, requestId)
    if (value instanceof Response) return value
    const headers = modelHeaders(protocol, requestId, 'application/json')
    return new Response(JSON.stringify(value), { headers })
  } catch (thrown) {
    const error = asGatewayError(thrown, parts.log, requestId)
    if (error.status < 500) parts.onRefused?.(error.word)
    return errorResponse(error, error.status === 401 ? keyErrors : protocol, requestId)
  }
}
