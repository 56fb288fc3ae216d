import type { Logger } from '../lib/log.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { StoreError } from '../store/ports/store-error.ts'

/** All errors of the gateway and their HTTP status. */
const statusOf = {
  unauthenticated: 401,
  insufficient_balance: 401,
  // Only inside a stream that had begun: it has no HTTP status any more.
  balance_used_up: 402,
  invalid_json: 400,
  missing_parameter: 400,
  invalid_value: 400,
  unsupported_parameter: 400,
  conflicting_parameters: 400,
  max_cost_exceeded: 400,
  ip_not_allowed: 403,
  model_not_allowed: 403,
  account_restricted: 403,
  region_restricted: 403,
  group_disabled: 403,
  model_not_found: 404,
  response_not_found: 404,
  previous_response_not_found: 404,
  thread_not_found: 404,
  receipt_not_found: 404,
  unsupported_action: 404,
  not_offered: 404,
  response_in_progress: 409,
  body_too_large: 413,
  unsupported_encoding: 415,
  rate_limited: 429,
  concurrency_limited: 429,
  channels_busy: 429,
  overloaded: 429,
  internal: 500,
  upstream_error: 502,
  upstream_invalid: 502,
  no_channel: 502,
  upstream_timeout: 504,
} as const

export type ErrorKind = keyof typeof statusOf

export const errorKinds = Object.keys(statusOf) as readonly ErrorKind[]

/** Why a 401 was given: the value of the header `x-tollgate-reason`. */
export const authReasons = [
  'missing',
  'unknown',
  'deleted',
  'disabled',
  'expired',
  'balance',
  'budget',
] as const
type AuthReason = (typeof authReasons)[number]

interface Details {
  readonly reason?: AuthReason
  readonly param?: string
  readonly retryAfter?: number
  readonly limited?: string
  readonly acceptEncoding?: string
  readonly isCutOff?: boolean
  readonly isTooSlow?: boolean
  readonly cause?: unknown
}

/** An error that the client gets in its own protocol's shape. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly kind: ErrorKind
  readonly details: Details

  constructor(kind: ErrorKind, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.kind = kind
    this.details = details
  }

  get status(): number {
    return statusOf[this.kind]
  }

  /** The machine word of records and of `x-tollgate-reason`. */
  get word(): ErrorKind | AuthReason {
    return this.details.reason ?? this.kind
  }
}

/** The 401 of every refused key: only the header names the cause. */
export function unauthenticated(reason: AuthReason): GatewayError {
  if (reason === 'balance' || reason === 'budget') {
    return new GatewayError('insufficient_balance', 'Insufficient account balance', { reason })
  }
  const message = reason === 'missing' ? keyRequired : 'Invalid API key'
  return new GatewayError('unauthenticated', message, { reason })
}

const keyRequired =
  'API key is required in Authorization header (Bearer scheme), x-api-key header or x-goog-api-key header'

/** The store fails: a 500, for model endpoints answer no 503. */
const unavailable = (message: string) => (cause: unknown) =>
  new GatewayError('internal', message, { cause, retryAfter: 1 })

export const requestNotStored = unavailable('The gateway could not store this request. Try again.')

const databaseNotRead = unavailable('The gateway could not read its database. Try again.')

/** What the client gets of any error; one that is a bug is logged. */
export function asGatewayError(thrown: unknown, log: Logger, requestId: string): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  if (thrown instanceof StoreError) {
    log.warn('database not read', { request_id: requestId, error: thrown.message })
    return databaseNotRead(thrown)
  }
  log.error('internal error', {
    request_id: requestId,
    error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
  })
  const message = 'The gateway failed. Try again, or tell its operator.'
  return new GatewayError('internal', message, { cause: thrown })
}

/** The error of requests that a stop of the process ends; also for clients that left: nobody reads it then. */
export const endedOutside = () =>
  new GatewayError('no_channel', 'The gateway is being stopped. Repeat the request.', {
    retryAfter: 1,
  })

/** The error as an answer: status, headers and body in the shape of the client's protocol. */
export function errorResponse(
  error: GatewayError,
  protocol: Protocol,
  requestId: string,
): Response {
  const headers = errorHeaders(error, protocol, requestId)
  return new Response(errorBody(error, protocol, requestId), { status: error.status, headers })
}

export function errorHeaders(
  error: GatewayError,
  protocol: Protocol,
  requestId: string,
): Record<string, string> {
  const headers = modelHeaders(protocol, requestId, 'application/json')
  headers['x-tollgate-reason'] = error.word
  if (error.details.retryAfter !== undefined) {
    headers['retry-after'] = String(error.details.retryAfter)
  }
  if (error.details.acceptEncoding) headers['accept-encoding'] = error.details.acceptEncoding
  return headers
}

export function errorBody(error: GatewayError, protocol: Protocol, requestId: string): string {
  if (error.status === 401) return unauthenticatedBody(error, protocol)
  return protocol.encodeError({
    status: error.status,
    code: error.kind,
    message: error.message,
    param: error.details.param,
    requestId,
  })
}

function unauthenticatedBody(error: GatewayError, protocol: Protocol): string {
  const reason = error.details.reason
  const message = reason === 'missing' ? 'API key is required' : error.message
  const own = protocol.encodeUnauthenticated?.(message)
  if (own !== undefined) return own
  const code =
    reason === 'missing'
      ? 'API_KEY_REQUIRED'
      : error.kind === 'insufficient_balance'
        ? 'INSUFFICIENT_BALANCE'
        : 'INVALID_API_KEY'
  return JSON.stringify({ code, message: error.message })
}

/** The headers of every answer of a model endpoint: of the upstream's, only its type. */
export function modelHeaders(
  protocol: Protocol,
  requestId: string,
  contentType: string,
): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': contentType, 'x-request-id': requestId }
  if (protocol.requestIdHeader !== undefined) headers[protocol.requestIdHeader] = requestId
  return headers
}

/** Unknown paths and methods, in plain text, without a key. */
export function pageNotFound(): Response {
  return new Response('404 page not found', {
    status: 404,
    // Caches keep a 404 by themselves, and whether a path is one may depend on a header.
    headers: { 'content-type': 'text/plain', 'cache-control': 'no-store' },
  })
}
