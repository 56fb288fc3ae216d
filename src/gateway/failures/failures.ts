import { codeOf } from '../../lib/failure.ts'
import { hasSpareDescriptors } from '../../lib/process-state.ts'
import type { Fault } from '../../store/ports/availability.ts'
import { authReasons, type ErrorKind, errorKinds, GatewayError } from '../errors.ts'
import { ConnectTimeout } from '../outbound/dial.ts'
import { AddressRefused } from '../outbound/outbound.ts'
import type { Refusal } from '../upstream/answer.ts'
import { readErrorBody } from './error-body.ts'
import { findSign, statusOfWords } from './failure-signs.ts'

export interface FailureClass {
  readonly fault: Fault
  readonly retry: boolean
  /** What cools down; null: nothing, this says nothing of the channel's health. */
  readonly cools: Cooling | null
  /** The client's error when no other attempt did better. */
  readonly answer: ErrorKind
  /** For the client: without the upstream's host, key or account. */
  readonly message: string
  /** For the operator: what happened, as a sentence. */
  readonly why: string
}

/** How a part of a channel cools down. A wait that the upstream asks for outweighs the back-off. */
export interface Cooling {
  readonly scope: 'channel' | 'key' | 'model' | 'key-model'
  readonly strikes: number
  /** The first length in milliseconds; it doubles up to `capMs`. */
  readonly baseMs: number
  readonly capMs: number
}

const cooling = (
  scope: Cooling['scope'],
  strikes: number,
  baseSeconds: number,
  capSeconds: number,
): Cooling => ({ scope, strikes, baseMs: baseSeconds * 1000, capMs: capSeconds * 1000 })

const unreachable = cooling('channel', 1, 2, 60)
/** Happens now and then to a healthy model, and to one model alone. */
const unsteady = cooling('model', 2, 2, 120)
/** A rejected key is rejected at each call; a single 403 may be about one request's text. */
const refused = cooling('key', 2, 60, 600)

const failure = (
  fault: Fault,
  cools: Cooling | null,
  answer: ErrorKind,
  texts: Pick<FailureClass, 'message' | 'why'> & { readonly retry?: false },
): FailureClass => ({ fault, retry: true, cools, answer, ...texts })

/** Every way in which an attempt fails: one row per class. */
export const failureClasses = {
  address_refused: failure('channel', unreachable, 'no_channel', {
    message:
      'The channel for this model has a private address, which it may not call without allow_private.',
    why: 'Its address is a private one, and the channel has no allow_private.',
  }),
  timeout_connect: failure('upstream', unreachable, 'upstream_timeout', {
    message: 'The upstream could not be reached in time.',
    why: 'No connection came about within the limit for connecting.',
  }),
  connect_failed: failure('channel', unreachable, 'upstream_error', {
    message: 'The upstream could not be reached.',
    why: 'No connection came about: it was refused, or the name of the host has no address.',
  }),
  tls_failed: failure('channel', cooling('channel', 1, 10, 120), 'upstream_error', {
    message: 'The upstream could not be reached.',
    why: 'The TLS handshake failed, or the certificate is not valid for the host.',
  }),
  connection_lost: failure('upstream', unsteady, 'upstream_error', {
    message: 'The upstream closed the connection before it answered.',
    why: 'The connection broke off, or carried what is not HTTP, before an answer was there.',
  }),
  timeout_first_byte: failure('upstream', unsteady, 'upstream_timeout', {
    message: 'The upstream did not begin to answer in time.',
    why: 'The upstream did not begin to answer within the limit for the first byte.',
  }),
  timeout_idle: failure('upstream', unsteady, 'upstream_timeout', {
    message: 'The upstream fell silent in the middle of its answer.',
    why: 'The upstream fell silent in the middle of an answer.',
  }),
  // The answer's time depends on the request as much as on the upstream: nothing cools down.
  timeout_total: failure('upstream', null, 'upstream_timeout', {
    message: 'The upstream did not finish its answer in time.',
    why: 'The upstream did not finish an answer within the limit for the whole.',
    retry: false,
  }),
  upstream_auth: failure('channel', refused, 'upstream_error', {
    message: 'The upstream refused the gateway itself. This is not a fault of your key.',
    why: 'The upstream refused the key, or what the key may do (401 or 403).',
  }),
  // Not the vendor's API but a proxy before it: it may dislike the text of one request.
  upstream_blocked: failure('channel', cooling('key-model', 3, 2, 30), 'upstream_error', {
    message: 'The upstream refused the gateway itself. This is not a fault of your key.',
    why: 'Something before the upstream refused the calls: not in the words of its API.',
  }),
  upstream_quota: failure('channel', cooling('key', 1, 60, 600), 'upstream_error', {
    message: 'The upstream refused the gateway itself. This is not a fault of your key.',
    why: 'The account at the upstream has used up its money or its quota.',
  }),
  upstream_rate_limited: failure('channel', cooling('key-model', 1, 2, 60), 'channels_busy', {
    message: 'All channels for this model are rate limited at present. Try again later.',
    why: 'The upstream asked to slow down (429).',
  }),
  upstream_overloaded: failure('upstream', cooling('model', 2, 2, 30), 'upstream_error', {
    message: 'The upstream is overloaded at present.',
    why: 'The upstream said that it is overloaded.',
  }),
  upstream_failed: failure('upstream', unsteady, 'upstream_error', {
    message: 'The upstream failed.',
    why: 'The upstream reported a failure of its own.',
  }),
  upstream_invalid: failure('upstream', unsteady, 'upstream_invalid', {
    message: 'The upstream sent an answer that could not be understood.',
    why: 'The upstream sent what is no answer of its protocol.',
  }),
  // The available models may depend on the key.
  model_unavailable: failure('model', cooling('key-model', 1, 10, 300), 'no_channel', {
    message: 'No channel has this model at present.',
    why: 'The upstream said that it has no such model or endpoint, or not for this key.',
  }),
  request_too_large: failure('client', null, 'body_too_large', {
    message: 'The request is larger than the upstream takes.',
    why: 'A request was larger than the upstream takes, or takes with this key.',
  }),
  refusal_unreadable: failure('client', null, 'upstream_invalid', {
    message: 'The upstream sent an answer that could not be understood.',
    why: 'The upstream refused a request, and not in the words of its API.',
  }),
  gateway_exhausted: failure('gateway', null, 'overloaded', {
    message: 'The gateway has no connection left for this request at present. Try again.',
    why: 'This machine had no file, memory or port left for a connection.',
  }),
  client_fault: failure('client', null, 'invalid_value', {
    message: 'The upstream refused the request as it is.',
    why: 'The upstream refused a request as it is.',
    retry: false,
  }),
} satisfies Record<string, FailureClass>

export type FailureName = keyof typeof failureClasses

export interface Failure {
  readonly name: FailureName
  readonly status: number | null
  readonly retryAfterMs?: number | undefined
  /** Passed to the client unchanged if nothing did better: of `model_unavailable` only. */
  readonly refusal?: Refusal
}

/** The class of an unsuccessful answer; undefined: the client's fault. `body`: the JSON. */
export function classifyAnswer(
  protocol: string,
  status: number,
  body: unknown,
  model?: string,
): FailureName | undefined {
  // Not an HTTP status: it can't be passed on.
  if (status < 100 || status > 599) return 'upstream_invalid'
  const error = body === undefined ? undefined : readErrorBody(body)
  const name = findSign(protocol, status, error)?.is
  if (name === 'model_unavailable' && model !== undefined && error) {
    return namesAnother(error.messages, model) ? undefined : name
  }
  return name === 'client_fault' ? undefined : name
}

/** A name in quotes, or behind the word. */
const namedModel = /[`'"]([^`'"]+)[`'"]|\bmodels?(?:\/|: ?)([\w./:@-]+)/i

function namesAnother(messages: readonly string[], model: string): boolean {
  const said = messages.join('\n')
  return namedModel.test(said) && !said.toLowerCase().includes(model.toLowerCase())
}

/** The class of an error inside of a 200 answer or a stream: event, body or error. */
export function classifyError(protocol: string, error: unknown): FailureName {
  const body = readErrorBody(error)
  const status = body.status ?? statusOfWords(body.words)
  const name = findSign(protocol, status, body)?.is
  if (name !== undefined) return name
  return status === undefined ? 'upstream_failed' : 'client_fault'
}

/** Errors of a call by their code: Bun's own and the system's. */
const thrownCodes: readonly (readonly [RegExp, FailureName])[] = [
  [/^(?:EMFILE|ENFILE|ENOMEM|ENOBUFS|EADDRNOTAVAIL)$/, 'gateway_exhausted'],
  [/CERT|SIGNATURE|^ERR_(?:TLS|SSL)_|^EPROTO$/, 'tls_failed'],
  [/^(?:ConnectionRefused|ECONNREFUSED|FailedToOpenSocket|ERR_PROXY_TUNNEL)$/, 'connect_failed'],
  [/^(?:ENOTFOUND|EAI_\w+|DNS\w*|ENETUNREACH|ENETDOWN|EHOSTUNREACH|EHOSTDOWN)$/, 'connect_failed'],
  [/DecompressionError$|^ZlibError$/, 'upstream_invalid'],
]

export function classifyFailure(error: unknown): FailureName {
  if (error instanceof AddressRefused) return 'address_refused'
  if (error instanceof ConnectTimeout) return 'timeout_connect'
  const code = codeOf(error) ?? ''
  const name = thrownCodes.find(([pattern]) => pattern.test(code))?.[1] ?? 'connection_lost'
  // The runtime reports a lack of descriptors as a refused connection, or a name that is not found.
  const isNamed = name === 'connect_failed' || name === 'connection_lost'
  return isNamed && !hasSpareDescriptors(1) ? 'gateway_exhausted' : name
}

/** The client's error: a fault of the request, else a rate limit, else the last failure. */
export function finalError(failures: readonly Failure[]): GatewayError {
  const last = decisive(failures)
  if (last === undefined) {
    return new GatewayError('no_channel', 'No channel is fit to answer for this model at present.')
  }
  const isBusy = isRateLimited(last)
  const { answer, message } = failureClasses[isBusy ? 'upstream_rate_limited' : last.name]
  if (answer === 'overloaded') return new GatewayError(answer, message, { retryAfter: 2 })
  if (!isBusy) return new GatewayError(answer, message)
  const known = failures.filter(isRateLimited).flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
  const waitMs = known.length > 0 ? Math.min(...known) : defaultWaitMs
  return new GatewayError(answer, message, { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) })
}

const defaultWaitMs = 5_000

/** The failure that decides the answer and the fault. */
export function decisive(failures: readonly Failure[]): Failure | undefined {
  return (
    failures.findLast(({ name }) => name === 'client_fault') ??
    failures.findLast(isRateLimited) ??
    failures.findLast(({ name }) => name !== 'model_unavailable') ??
    failures.at(-1)
  )
}

/** Every 429 of an upstream, even for its used-up money. */
const isRateLimited = ({ name, status }: Failure) =>
  name === 'upstream_rate_limited' || status === 429

/** Why an exchange was ended from outside, as its record says. */
const interruptions = ['client_left', 'shutdown'] as const
export type Interruption = (typeof interruptions)[number]

/** `upstream_refused`: the request's fault; `background_lost`: the usage is unknown. */
export const requestCauses = [
  ...errorKinds,
  ...authReasons,
  ...interruptions,
  'upstream_refused',
  'interrupted',
  'background_lost',
] as const
export type RequestCause = (typeof requestCauses)[number]

/** Every cause of an attempt. `abandoned`: its answer was not needed any more. */
export const attemptCauses = [
  ...(Object.keys(failureClasses) as readonly FailureName[]),
  ...requestCauses,
  'abandoned',
] as const
export type AttemptCause = (typeof attemptCauses)[number]
