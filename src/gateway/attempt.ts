import type { Channel } from '../catalog/catalog.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { toJsonText } from '../protocols/canonical/json-text.ts'
import type { AnswerObserver } from '../protocols/protocol.ts'
import type { AttemptRow } from '../store/ports/records.ts'
import type { Answer, Refusal } from './answer.ts'
import type { RequestBody } from './body.ts'
import type { Choice } from './chooser.ts'
import type { Exchange } from './exchange.ts'
import {
  classifyAnswer,
  classifyError,
  classifyFailure,
  type Failure,
  type FailureName,
} from './failures.ts'
import type { Route } from './options.ts'
import type { Outbound, OutboundCall } from './outbound.ts'
import { retryAfterMs } from './retry-after.ts'
import { translateRefusal } from './translated-answer.ts'
import { readAnswer, readRefusal } from './upstream-answer.ts'
import { buildCall, type Destination } from './upstream-call.ts'
import type { Expiry, Watch, Watchdog } from './watchdog.ts'

/** What one attempt came to: an answer to relay, or a failure to decide on. */
export type AttemptResult =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure }

export interface AttemptParts {
  readonly outbound: Outbound
  readonly watchdog: Watchdog
  readonly clock: Clock
  readonly tick: Clock
  readonly log: Logger
  /** Told of every attempt that has ended, and of its failure's class. */
  readonly onAttempt: (channel: Channel, cause: string | null) => void
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
  const call = await prepare(exchange, body, { ...option, route, key }, controller.signal)
  if (call === undefined) return { ok: false, failure: { name: 'connection_lost', status: null } }
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
  const isOurs = () => exchange.isUnpaid || exchange.interruption !== undefined

  const fail = (failure: Failure, usageRaw?: unknown): AttemptResult => {
    controller.abort()
    if (!isOurs()) choice.failed(failure)
    row.finish(failure.name, usageRaw)
    return { ok: false, failure }
  }

  /** What broke the call off. */
  const nameOf = (error: unknown): FailureName => {
    const name = expiry ? (`timeout_${expiry}` as const) : classifyFailure(error)
    if (exchange.isUnpaid) row.finish('abandoned')
    if (!isOurs() && expiry === undefined) {
      parts.log.warn('attempt failed', {
        request_id: exchange.requestId,
        channel: channel.name,
        cause: name,
        error: error instanceof Error ? error.message : String(error),
      })
    }
    return name
  }

  /** A stream that has begun has ended so; what the upstream did wrong is remembered. */
  const finish = (observer: AnswerObserver) => (cause: string | null) => {
    const broken = brokenBy(route, observer, cause, expiry)
    if (broken !== undefined && !isOurs()) choice.broke(broken)
    row.finish(cause, observer.seen.usageRaw)
  }

  let status: number | null = null
  try {
    const response = await parts.outbound(call)
    status = response.status
    const firstByteMs = row.head(response)
    if (!response.ok) {
      const { failure, refusal } = await readRefused(parts, exchange, response, { choice, route })
      if (failure) return fail(failure)
      choice.succeeded()
      row.finish('client_fault')
      return { ok: true, answer: refusal }
    }
    const read = await readAnswer(response, exchange, { route, watch, hasNext })
    if (read.kind === 'unusable') {
      if (read.error !== undefined) return fail({ name: nameOf(read.error), status }, read.usageRaw)
      const waitMs = retryAfterMs(response.headers, read.told, parts.clock())
      return fail(failureOf(read.failure, status, waitMs), read.usageRaw)
    }
    if (read.kind === 'body') {
      const { outcome, usageRaw } = read.observer.seen
      if (outcome === 'failed') choice.broke('upstream_failed')
      else choice.succeeded(firstByteMs)
      row.finish(outcome === 'failed' ? 'upstream_error' : null, usageRaw)
      return { ok: true, answer: read }
    }
    choice.succeeded(firstByteMs)
    const { observer } = read
    const { signal } = controller
    const ended = { expiry: () => expiry, finish: finish(observer) }
    return { ok: true, answer: { ...read, watch, signal, ...ended } }
  } catch (error) {
    return fail({ name: nameOf(error), status })
  }
}

const failureOf = (name: FailureName, status: number | null, waitMs?: number): Failure => ({
  name,
  status,
  ...(waitMs !== undefined && { retryAfterMs: waitMs }),
})

/** What the upstream did wrong in a stream that had begun; undefined: nothing, or it was not it. */
function brokenBy(
  { protocol }: Route,
  { seen }: AnswerObserver,
  cause: string | null,
  expiry: Expiry | undefined,
): FailureName | undefined {
  if (expiry !== undefined) return `timeout_${expiry}`
  if (cause === 'upstream_invalid') return cause
  if (cause !== 'upstream_error') return undefined
  if (seen.outcome !== 'failed') return 'connection_lost'
  return classifyError(protocol.name, { error: { message: seen.errorMessage ?? '' } })
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
  const failure = failureOf(name, status, retryAfterMs(headers, value, clock()))
  return { failure: told && name === 'model_unavailable' ? { ...failure, refusal: told } : failure }
}

/** The upstream's request; undefined when the exchange was ended before it was ready. */
async function prepare(
  exchange: Exchange,
  body: RequestBody,
  destination: Destination,
  signal: AbortSignal,
): Promise<OutboundCall | undefined> {
  try {
    return await buildCall(exchange, body, destination, signal)
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** The row of an attempt, written to the exchange when the attempt has ended. */
function startRow(parts: AttemptParts, exchange: Exchange, channel: Channel, watch: Watch) {
  const startedAt = parts.clock()
  const startedTick = parts.tick()
  let status: number | null = null
  let upstreamRequestId: string | null = null
  let firstByteMs: number | null = null
  let finished = false
  return {
    /** The head is here; returns how long that took, in milliseconds. */
    head(response: Response): number {
      status = response.status
      firstByteMs = Math.round(parts.tick() - startedTick)
      const { headers } = response
      upstreamRequestId =
        headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('apim-request-id')
      return firstByteMs
    },
    finish(cause: string | null, usageRaw?: unknown) {
      if (finished) return
      finished = true
      watch.stop()
      parts.onAttempt(channel, cause)
      const row: AttemptRow = {
        channelId: channel.id,
        startedAt,
        status,
        cause,
        firstByteMs,
        durationMs: Math.round(parts.tick() - startedTick),
        upstreamRequestId,
        usageRaw: toJsonText(usageRaw) ?? null,
      }
      exchange.attempts.push(row)
    },
  }
}
