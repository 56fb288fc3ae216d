import type { Candidate } from '../catalog/catalog.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { toJsonText } from '../protocols/canonical/json-text.ts'
import type { AttemptRow } from '../store/ports/records.ts'
import type { Answer } from './answer.ts'
import type { RequestBody } from './body.ts'
import type { Exchange } from './exchange.ts'
import {
  classifyFailure,
  classifyStatus,
  type Failure,
  type FailureName,
  parseRetryAfter,
} from './failures.ts'
import type { Option, Route } from './options.ts'
import type { Outbound, OutboundCall } from './outbound.ts'
import { translateRefusal } from './translated-answer.ts'
import { readAnswer, readRefusal } from './upstream-answer.ts'
import { buildCall } from './upstream-call.ts'
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
  candidate: Option,
  hasNext: (() => boolean) | undefined,
): Promise<AttemptResult> {
  const route = candidate.route()
  const controller = new AbortController()
  exchange.candidate = candidate
  exchange.route = route
  exchange.dropped = route.translation?.dropped ?? []
  exchange.abort = () => controller.abort()
  const call = await prepare(exchange, body, { ...candidate, route }, controller.signal)
  if (call === undefined) return { ok: false, failure: { name: 'connection_lost', status: null } }
  return ask(parts, exchange, call, { candidate, route, controller, hasNext })
}

/** Whom a call goes to. */
interface Asked {
  readonly candidate: Candidate
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
  { candidate, route, controller, hasNext }: Asked,
): Promise<AttemptResult> {
  let expiry: Expiry | undefined
  const watch = parts.watchdog.watch(candidate.channel.timeouts, (which) => {
    expiry = which
    controller.abort()
    exchange.onInterrupted()
  })
  const row = startRow(parts, exchange, candidate, watch)

  const fail = (
    name: FailureName,
    status: number | null,
    retryAfter?: number,
    usageRaw?: unknown,
  ): AttemptResult => {
    controller.abort()
    row.finish(name, usageRaw)
    const failure = { name, status, ...(retryAfter === undefined ? {} : { retryAfter }) }
    return { ok: false, failure }
  }

  /** What broke the call off. */
  const nameOf = (error: unknown): FailureName => {
    const name = expiry ? (`timeout_${expiry}` as const) : classifyFailure(error)
    // Ended by the gateway itself: that is no fault of the channel's.
    if (exchange.isUnpaid) row.finish('abandoned')
    if (!exchange.isUnpaid && exchange.interruption === undefined && expiry === undefined) {
      parts.log.warn('attempt failed', {
        request_id: exchange.requestId,
        channel: candidate.channel.name,
        cause: name,
        error: error instanceof Error ? error.message : String(error),
      })
    }
    return name
  }

  let status: number | null = null
  try {
    const response = await parts.outbound(call)
    status = response.status
    row.head(response)
    const failed = response.ok ? undefined : classifyStatus(status)
    if (failed) {
      const wait = parseRetryAfter(response.headers.get('retry-after'), parts.clock())
      return fail(failed, status, wait)
    }
    if (!response.ok) {
      const refusal = await readRefusal(response, candidate.channel)
      if (refusal === undefined) return fail('upstream_invalid', status)
      row.finish('client_fault')
      return { ok: true, answer: translateRefusal(refusal, exchange, route) }
    }
    const read = await readAnswer(response, exchange, { route, watch, hasNext })
    if (read.kind === 'unusable') {
      const name = read.error === undefined ? read.failure : nameOf(read.error)
      return fail(name, status, undefined, read.usageRaw)
    }
    if (read.kind === 'body') {
      const { outcome, usageRaw } = read.observer.seen
      row.finish(outcome === 'failed' ? 'upstream_error' : null, usageRaw)
      return { ok: true, answer: read }
    }
    const { observer } = read
    const finish = (cause: string | null) => row.finish(cause, observer.seen.usageRaw)
    return {
      ok: true,
      answer: { ...read, watch, signal: controller.signal, expiry: () => expiry, finish },
    }
  } catch (error) {
    return fail(nameOf(error), status)
  }
}

/** The upstream's request; undefined when the exchange was ended before it was ready. */
async function prepare(
  exchange: Exchange,
  body: RequestBody,
  candidate: Candidate & { readonly route: Route },
  signal: AbortSignal,
): Promise<OutboundCall | undefined> {
  try {
    return await buildCall(exchange, body, candidate, signal)
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** The row of an attempt, written to the exchange when the attempt has ended. */
function startRow(parts: AttemptParts, exchange: Exchange, candidate: Candidate, watch: Watch) {
  const startedAt = parts.clock()
  const startedTick = parts.tick()
  let status: number | null = null
  let upstreamRequestId: string | null = null
  let firstByteMs: number | null = null
  let finished = false
  return {
    head(response: Response) {
      status = response.status
      firstByteMs = Math.round(parts.tick() - startedTick)
      const { headers } = response
      upstreamRequestId =
        headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('apim-request-id')
    },
    finish(cause: string | null, usageRaw?: unknown) {
      if (finished) return
      finished = true
      watch.stop()
      const row: AttemptRow = {
        channelId: candidate.channel.id,
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
