import type { Beside } from '../beside/job.ts'
import type { RequestBody } from '../body/body.ts'
import type { Choice } from '../channels/chooser.ts'
import type { Exchange } from '../exchange.ts'
import type { Outbound, PacedCall } from '../outbound/outbound.ts'
import { otherForm } from './other-form.ts'
import { type AttemptResult, SentCall, type SentCallParts } from './sent-call.ts'
import { buildCall } from './upstream-call.ts'

export interface AttemptParts extends SentCallParts {
  readonly outbound: Outbound
  /** Absent: all work is done here. */
  readonly beside?: Beside | undefined
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
  exchange.dropped = route.translation?.dropped ?? route.passed?.dropped ?? []
  exchange.abort = () => controller.abort()
  exchange.isOwed = false
  let call: PacedCall
  try {
    const destination = { ...option, route, key }
    const coming = buildCall(exchange, body, destination, controller.signal, parts.beside)
    call = coming instanceof Promise ? await coming : coming
  } catch (error) {
    if (!controller.signal.aborted) throw error
    // The exchange was ended before its call was ready.
    return neverSent
  }
  // Who has left by now owes nothing: nothing was asked.
  if (exchange.interruption !== undefined) return neverSent
  const sent = new SentCall(parts, exchange, choice, controller)
  exchange.isOwed = exchange.operation.charged
  try {
    const other = otherForm(exchange, body, route)
    return await sent.answer(await parts.outbound(call, sent), other, hasNext)
  } catch (error) {
    return sent.failed({ name: sent.nameOf(error), status: sent.status })
  }
}

const neverSent: AttemptResult = { ok: false, failure: { name: 'connection_lost', status: null } }
