import type { Observation } from '../../protocols/canonical/observation.ts'
import type { FrameSplitter } from '../../protocols/protocol.ts'
import { GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { failureClasses } from '../failures/failures.ts'
import type { Meter } from '../money/meter.ts'
import type { End } from '../money/record.ts'
import type { StreamAnswer } from '../upstream/answer.ts'
import type { Heartbeat } from './heartbeat.ts'

/** Told inside of the stream, when what could be set aside for it is used. */
export const endForMoney = () =>
  new GatewayError(
    'balance_used_up',
    'The balance, or the budget of the key, is used up, or set aside for other requests under way: ' +
      'the answer ends here. What came is charged.',
  )

/** The upstream ended before its answer did: by itself, or at a limit of time. */
export function brokenOff(answer: StreamAnswer): GatewayError {
  const expiry = answer.expiry()
  if (expiry === undefined) {
    return new GatewayError('upstream_error', 'The upstream broke off in the middle of its answer.')
  }
  return new GatewayError('upstream_timeout', failureClasses[`timeout_${expiry}`].message)
}

/** What an error inside of a stream tells of its request. */
export const streamHead = ({ requestId, model, startedAt }: Exchange) => ({
  requestId,
  model,
  createdAt: Math.floor(startedAt / 1_000),
})

/** The failure as the stream's last event; empty when a translated stream has told its end. */
export function encodeFailure(
  parts: RelayParts,
  error: unknown,
  { isFirst, isStored }: { readonly isFirst: boolean; readonly isStored: boolean },
): Uint8Array {
  const { exchange, answer } = parts
  const told = failureToTell(parts, error)
  const failure = {
    status: told.status,
    code: told.kind,
    message: told.message,
    param: undefined,
    ...streamHead(exchange),
    answer: answer.observer.seen,
  }
  const translated = answer.translator?.fail(failure)
  const isOwn = translated !== undefined && (translated !== '' || isStored)
  const text = isOwn ? translated : exchange.protocol.encodeStreamError(failure, exchange, isFirst)
  return new TextEncoder().encode(text)
}

/** So long after one event the next one is no longer sent, and read, together with it. */
const apartMs = 25

/** The events of a failure one by one: some libraries look for an error alone. */
export async function* eventsOf(
  told: Uint8Array,
  { framing }: Pick<Exchange, 'framing'>,
): AsyncGenerator<Uint8Array> {
  const text = new TextDecoder().decode(told)
  const events = framing === 'sse' ? text.split(/(?<=\n\r?\n)(?=.)/) : [text]
  for (const [index, event] of events.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, apartMs))
    if (event !== '') yield new TextEncoder().encode(event)
  }
}

function failureToTell({ exchange, answer }: RelayParts, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (exchange.interruption === 'shutdown') {
    return new GatewayError('no_channel', 'The gateway is being stopped. Repeat the request.')
  }
  return brokenOff(answer)
}

export interface RelayParts {
  readonly exchange: Exchange
  readonly answer: StreamAnswer
  readonly splitter: FrameSplitter
  /** The upstream is asked for a usage chunk that the client did not ask for. */
  readonly hideUsage: boolean
  readonly meter: Meter
  readonly heartbeat: Heartbeat
  /** Charges and stores as `settle` does; rejects with a `GatewayError` (logged). */
  readonly settle: (end: End, seen: Observation, isDelivered: boolean) => Promise<void>
}
