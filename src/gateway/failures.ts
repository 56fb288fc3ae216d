import { ConnectTimeout } from './dial.ts'
import { type ErrorKind, GatewayError } from './errors.ts'
import { AddressRefused } from './outbound.ts'

interface FailureClass {
  /** Who is at fault; decides later what cools down and what counts against availability. */
  readonly fault: 'client' | 'channel' | 'upstream'
  /** Whether another channel may do better. */
  readonly retry: boolean
  /** What the client gets when no channel did better. */
  readonly answer: ErrorKind
  /** For the client: nothing of the upstream's host, key or account. */
  readonly message: string
}

/** Every way in which an attempt fails before its first byte is passed on: one row per class. */
export const failureClasses = {
  address_refused: {
    fault: 'channel',
    retry: true,
    answer: 'no_channel',
    message:
      'The channel for this model has a private address, which it may not call without allow_private.',
  },
  timeout_connect: {
    fault: 'upstream',
    retry: true,
    answer: 'upstream_timeout',
    message: 'The upstream could not be reached in time.',
  },
  connect_failed: {
    fault: 'channel',
    retry: true,
    answer: 'upstream_error',
    message: 'The upstream could not be reached.',
  },
  connection_lost: {
    fault: 'upstream',
    retry: true,
    answer: 'upstream_error',
    message: 'The upstream closed the connection before it answered.',
  },
  timeout_first_byte: {
    fault: 'upstream',
    retry: true,
    answer: 'upstream_timeout',
    message: 'The upstream did not begin to answer in time.',
  },
  timeout_idle: {
    fault: 'upstream',
    retry: true,
    answer: 'upstream_timeout',
    message: 'The upstream fell silent in the middle of its answer.',
  },
  timeout_total: {
    fault: 'upstream',
    retry: false,
    answer: 'upstream_timeout',
    message: 'The upstream did not finish its answer in time.',
  },
  upstream_auth: {
    fault: 'channel',
    retry: true,
    answer: 'upstream_error',
    message: 'The upstream refused the gateway itself. This is not a fault of your key.',
  },
  upstream_rate_limited: {
    fault: 'channel',
    retry: true,
    answer: 'channels_busy',
    message: 'All channels for this model are rate limited at present. Try again later.',
  },
  upstream_failed: {
    fault: 'upstream',
    retry: true,
    answer: 'upstream_error',
    message: 'The upstream failed.',
  },
  upstream_invalid: {
    fault: 'upstream',
    retry: true,
    answer: 'upstream_invalid',
    message: 'The upstream sent an answer that could not be understood.',
  },
} as const satisfies Record<string, FailureClass>

export type FailureName = keyof typeof failureClasses

/** One failed attempt. */
export interface Failure {
  readonly name: FailureName
  /** Upstream's HTTP status, when there was one. */
  readonly status: number | null
  /** Seconds that the upstream asked to wait. */
  readonly retryAfter?: number
}

/**
 * The class of an upstream status that is not a success; undefined for the client's own faults
 * (400, 404, 413, 422 …), which are passed on as they are.
 */
export function classifyStatus(status: number): FailureName | undefined {
  if (status === 401 || status === 402 || status === 403) return 'upstream_auth'
  if (status === 429) return 'upstream_rate_limited'
  if (status >= 500) return 'upstream_failed'
  if (status === 408) return 'timeout_first_byte'
  if (status >= 400) return undefined
  return 'upstream_invalid'
}

/** Codes of errors that mean that nothing was sent: no connection came about. */
const connectCodes = new Set([
  'ConnectionRefused',
  'ECONNREFUSED',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
])

/** The class of what an outbound call threw. */
export function classifyFailure(error: unknown): FailureName {
  if (error instanceof AddressRefused) return 'address_refused'
  if (error instanceof ConnectTimeout) return 'timeout_connect'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (connectCodes.has(code) || code.startsWith('DNS') || code.includes('CERT')) {
    return 'connect_failed'
  }
  return 'connection_lost'
}

/**
 * What the client is told when all channels failed. A rate limit outweighs the rest, since waiting
 * helps against it; else the last failure speaks.
 */
export function finalError(failures: readonly Failure[]): GatewayError {
  const busy = failures.filter((failure) => failure.name === 'upstream_rate_limited')
  const last = busy.at(-1) ?? failures.at(-1)
  if (last === undefined) {
    return new GatewayError('no_channel', 'No channel is fit to answer for this model at present.')
  }
  const { answer, message } = failureClasses[last.name]
  if (busy.length === 0) return new GatewayError(answer, message)
  const known = busy.flatMap((failure) => failure.retryAfter ?? [])
  const retryAfter = known.length > 0 ? Math.min(...known) : defaultRetryAfter
  return new GatewayError(answer, message, { retryAfter })
}

const defaultRetryAfter = 5

/** Seconds of a `Retry-After` header: a number, or a date in the future. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  const seconds = /^\d{1,8}(\.\d+)?$/.test(value.trim())
    ? Math.ceil(Number(value))
    : Math.ceil((Date.parse(value) - nowMs) / 1000)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}
