import type { Logger } from '../lib/log.ts'
import type { Answer, Refusal } from './answer.ts'
import { type AttemptRowParts, startRow } from './attempt-row.ts'
import type { RequestBody } from './body.ts'
import type { Choice } from './channels/chooser.ts'
import { type Exchange, mayAbort } from './exchange.ts'
import {
  classifyAnswer,
  classifyFailure,
  type Failure,
  type FailureName,
  failureClasses,
} from './failures/failures.ts'
import { waitFor } from './failures/retry-after.ts'
import type { FailureObserver } from './failures/told-failure.ts'
import type { Route } from './options.ts'
import type { Outbound, OutboundCall } from './outbound/outbound.ts'
import { translateRefusal } from './translated-answer.ts'
import { readAnswer, readRefusal } from './upstream-answer.ts'
import { buildCall } from './upstream-call.ts'
import type { Expiry, Watchdog } from './watchdog.ts'

/** What one attempt came to: an answer to relay, or a failure to decide on. */
export type AttemptResult =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure }

export interface AttemptParts extends AttemptRowParts {
  readonly outbound: Outbound
  readonly watchdog: Watchdog
  readonly log: Logger
}

/**
 * Asks one channel. Every way in which the upstream fails is a class of `failureClasses`; throws the
 * `GatewayError` of a request that can't be put to this channel. `hasNext` tells whether another one
 * can be asked; undefined: none is left.
 */
export async function attempt(
  parts: AttemptParts,
  exchange: Exchange,
  body: RequestBody,
  choice: Choice,
  hasNext: (() => boolean) | undefined,
): Promise<AttemptResult> {
  const { option, key } = choice
  const route = option.route()
  const controller = new AbortController()
  exchange.candidate = option
  exchange.upstreamKey = key
  exchange.route = route
  exchange.dropped = route.translation?.dropped ?? []
  exchange.abort = () => controller.abort()
  let call: OutboundCall
  try {
    call = await buildCall(exchange, body, { ...option, route, key }, controller.signal)
  } catch (error) {
    if (!controller.signal.aborted) throw error
    // The exchange was ended before its call was ready.
    return { ok: false, failure: { name: 'connection_lost', status: null } }
  }
  return ask(parts, exchange, call, { choice, route, controller, hasNext })
}

/** Whom a call goes to. */
interface Asked {
  readonly choice: Choice
  readonly route: Route
  /** Ends the call. */
  readonly controller: AbortController
  readonly hasNext: (() => boolean) | undefined
}

/** Sends a call that is ready: from here on it is the upstream that time is taken by. */
async function ask(
  parts: AttemptParts,
  exchange: Exchange,
  call: OutboundCall,
  { choice, route, controller, hasNext }: Asked,
): Promise<AttemptResult> {
  const { channel } = choice.option
  let expiry: Expiry | undefined
  const watch = parts.watchdog.watch(channel.timeouts, (which) => {
    expiry = which
    controller.abort()
    exchange.onInterrupted()
  })
  const row = startRow(parts, exchange, channel, watch)
  /** Ended by the gateway itself, or for the client: that is no fault of the channel's. */
  const isOurs = () => exchange.isUnpaid || isBrokenOff(exchange)

  const fail = (failure: Failure, usageRaw?: unknown): AttemptResult => {
    controller.abort()
    if (!isOurs()) {
      if (isTelling(route, failure)) choice.failed(failure)
      else choice.succeeded()
    }
    row.finish(failure.name, usageRaw)
    return { ok: false, failure }
  }

  /** What broke the call off. */
  const nameOf = (error: unknown): FailureName => {
    const name = expiry ? (`timeout_${expiry}` as const) : classifyFailure(error)
    if (isOurs()) row.finish(exchange.isUnpaid ? 'abandoned' : (exchange.interruption ?? null))
    else if (expiry === undefined) {
      parts.log.warn('attempt failed', {
        request_id: exchange.requestId,
        channel: channel.name,
        cause: name,
        error: error instanceof Error ? error.message : String(error),
      })
    }
    return name
  }

  /** The client gets an answer that has failed all the same; what was wrong with it is remembered. */
  const blame = (name: FailureName, { headers }: Response, observer: FailureObserver): void => {
    exchange.fault = failureClasses[name].fault
    if (isOurs()) return
    const failure = failureOf(name, status, waitFor(name, headers, observer.told(), parts.clock()))
    if (isTelling(route, failure)) choice.broke(failure)
    else choice.succeeded()
  }

  let status: number | null = null
  try {
    const response = await parts.outbound(call)
    status = response.status
    row.head(response)
    if (!response.ok) {
      row.begun()
      const { failure, refusal } = await readRefused(parts, exchange, response, { choice, route })
      if (failure) return fail(failure)
      choice.succeeded()
      row.finish('client_fault')
      return { ok: true, answer: refusal }
    }
    const read = await readAnswer(response, exchange, { route, watch, hasNext, begun: row.begun })
    if (read.kind === 'unusable') {
      if (read.error !== undefined) return fail({ name: nameOf(read.error), status }, read.usageRaw)
      const waitMs = waitFor(read.failure, response.headers, read.told, parts.clock())
      return fail(failureOf(read.failure, status, waitMs), read.usageRaw)
    }
    if (read.kind === 'body') {
      const failed = read.observer.failure()
      if (failed !== undefined) blame(failed, response, read.observer)
      else choice.succeeded(isCount(route) ? undefined : row.begun())
      row.finish(failed ? 'upstream_error' : null, read.observer.seen.usageRaw)
      return { ok: true, answer: read }
    }
    choice.succeeded(row.begun())
    const { observer } = read
    const finish = (cause: string | null) => {
      const broken = brokenBy(observer, cause, expiry)
      if (broken !== undefined) blame(broken, response, observer)
      row.finish(cause, observer.seen.usageRaw)
    }
    const { signal } = controller
    return { ok: true, answer: { ...read, watch, signal, expiry: () => expiry, finish } }
  } catch (error) {
    return fail({ name: nameOf(error), status })
  }
}

const failureOf = (name: FailureName, status: number | null, waitMs?: number): Failure => ({
  name,
  status,
  ...(waitMs !== undefined && { retryAfterMs: waitMs }),
})

/** Whether the call was ended for the client, or for the end of the process. */
const isBrokenOff = (exchange: Exchange) =>
  exchange.interruption !== undefined && mayAbort(exchange, exchange.interruption)

const isCount = ({ protocol, operation }: Route) => operation === protocol.counting

/** Whether a failure tells of something that a request for an answer would meet on this channel, too. */
function isTelling(route: Route, { name, status }: Failure): boolean {
  const { fault, cools } = failureClasses[name]
  if (fault === 'client') return false
  if (route.operation === route.protocol.generation) return true
  // Counts have limits of their own at the vendors, and many an upstream has no such endpoint.
  if (isCount(route)) return cools?.scope === 'channel'
  return status !== 404 && status !== 405
}

/** What the upstream did wrong in a stream that had begun; undefined: nothing, or it was not it. */
function brokenBy(
  observer: FailureObserver,
  cause: string | null,
  expiry: Expiry | undefined,
): FailureName | undefined {
  if (cause === null) return undefined
  if (expiry !== undefined) return `timeout_${expiry}`
  if (cause === 'upstream_invalid') return cause
  if (cause !== 'upstream_error') return undefined
  return observer.failure() ?? 'connection_lost'
}

/** An answer that is no success: the client's own fault, which it is told of, or a failure. */
type Refused =
  | { readonly failure: Failure; readonly refusal?: undefined }
  | { readonly failure?: undefined; readonly refusal: Refusal }

async function readRefused(
  { clock }: AttemptParts,
  exchange: Exchange,
  response: Response,
  { choice, route }: Pick<Asked, 'choice' | 'route'>,
): Promise<Refused> {
  const { channel, upstreamModel } = choice.option
  const { status, headers } = response
  const { refusal, value } = await readRefusal(response, channel)
  const told = refusal && translateRefusal(refusal, exchange, route)
  const name = classifyAnswer(route.protocol.name, status, value, upstreamModel)
  // Not JSON: it is not the vendor's API that speaks, and the channel is wrong.
  if (name === undefined) {
    return told ? { refusal: told } : { failure: failureOf('upstream_invalid', status) }
  }
  const failure = failureOf(name, status, waitFor(name, headers, value, clock()))
  return { failure: told && name === 'model_unavailable' ? { ...failure, refusal: told } : failure }
}
