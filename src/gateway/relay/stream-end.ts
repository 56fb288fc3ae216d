import { hasEnded, isFinal, type Observation } from '../../protocols/canonical/observation.ts'
import type { FrameSplitter } from '../../protocols/protocol.ts'
import { GatewayError } from '../errors.ts'
import { answerHead, type Exchange } from '../exchange.ts'
import { type AttemptCause, failureClasses } from '../failures/failures.ts'
import type { Meter } from '../money/meter.ts'
import { answeredEnd, balanceUsedUp, type End } from '../money/record.ts'
import type { StreamAnswer } from '../upstream/answer.ts'
import { shownError } from '../upstream/hide-secrets.ts'
import { disconnectTexts, heldUpMs, hidesInput, showsAll } from './disconnect.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { Tap } from './tap.ts'

/** How far a relayed stream has come. */
export class Progress {
  /** The client got a part of the answer. */
  framesSent = false
  /** The money has run out: the client gets no more. */
  isCut = false
  /** It is cut but read on: the usage is reported only at the end. */
  readsOn = false
  /** The client left before the answer's end. */
  disconnectedEarly = false
  /** The upstream's stream was read to its end. */
  isReadToEnd = false
  /** A stop sequence ended it: the upstream was stopped. */
  isStopped = false
}

export async function finish(parts: RelayParts, progress: Progress): Promise<void> {
  const { seen } = parts.answer.observer
  const { framesSent, disconnectedEarly } = progress
  const end = endAt(parts, progress)
  parts.answer.finish(attemptCause(parts, end))
  await parts.settle(end, seen, framesSent || disconnectedEarly)
}

function endAt(parts: RelayParts, progress: Progress): End {
  if (progress.isCut) return unpaidEnd(parts, progress)
  if (progress.disconnectedEarly) return disconnectEnd(parts, progress)
  if (!progress.isStopped) return endOf(parts)
  return { ...answeredEnd('complete', null, stoppedText), isStopped: true }
}

const stoppedText =
  'The answer ended at a stop sequence, and such a request has no hidden work, so the upstream was stopped: what it had read and sent by then is charged.'

/** The end of a stream whose client disconnected in the middle. */
function disconnectEnd(parts: RelayParts, { isReadToEnd }: Progress): End {
  const { exchange, answer } = parts
  const { seen } = answer.observer
  const end = endOf(parts)
  if (end.ending === 'failed' || end.ending === 'shutdown') return end
  const isRead = isReadWhole(seen, isReadToEnd)
  const isLost = !isRead && exchange.interruption !== 'shutdown' && !showsAll(exchange, seen)
  const isDrained = exchange.plan?.group.onDisconnect === 'drain'
  const why = isLost ? 'lost' : isDrained ? 'drained' : isRead ? 'read' : 'seen'
  return { ...answeredEnd('client_left', 'client_left', disconnectTexts[why]), isLost }
}

/** The cause in the attempt's row: which time limit cut the answer, else the record's cause. */
function attemptCause({ answer }: RelayParts, { ending, cause }: End): AttemptCause | null {
  const expiry = answer.expiry()
  return ending === 'cut' && expiry !== undefined ? `timeout_${expiry}` : cause
}

function unpaidEnd({ exchange, answer }: RelayParts, { readsOn, isReadToEnd }: Progress): End {
  const { seen } = answer.observer
  const isRead = readsOn && isReadWhole(seen, isReadToEnd)
  if (isRead) return answeredEnd('cut', balanceUsedUp, `${moneyEnded} ${inputRead}`)
  const isLost = !showsAll(exchange, seen)
  return { ...answeredEnd('cut', balanceUsedUp, moneyEnded), isCapped: true, isLost }
}

const moneyEnded =
  'The answer was ended when the balance, or the budget of the key, was used up, or reserved for ' +
  'other requests in progress.'
const inputRead =
  'The input read for it (files, stored answers, tool results) is reported only at the end, so the ' +
  'answer was read to its end and is charged as a whole.'

/** Its end was read, and with it all its usage. */
const isReadWhole = (seen: Observation, isReadToEnd: boolean) =>
  hasEnded(seen) && (isReadToEnd || isFinal(seen) || seen.usage !== undefined)

/** The end of the stream, as far as known. */
function endOf({ exchange, answer }: RelayParts): End {
  const { seen } = answer.observer
  if (seen.outcome === 'failed') {
    const causeText = shownError(exchange, seen) ?? 'The upstream reported an error in its stream.'
    return answeredEnd('failed', 'upstream_error', causeText)
  }
  if (seen.outcome !== undefined && hasEnded(seen)) return answeredEnd(seen.outcome)
  const { interruption } = exchange
  if (interruption !== undefined) return answeredEnd(interruption, interruption)
  const error = brokenOff(answer)
  // A break is the upstream's fault, and what was observed is charged, unless the client may have caused it.
  const isLost = answer.watch.heldUpMs() >= heldUpMs && !showsAll(exchange, seen)
  const causeText = isLost ? `${error.message} ${disconnectTexts.heldUp}` : error.message
  return { ...answeredEnd('cut', error.kind, causeText), isLost }
}

export const isBeyond = (meter: Meter, seen: Observation) => seen.text.bytes > meter.limit

/** The paid bytes when money runs out, else undefined. `readsOn`: usage comes at the end only. */
export async function cutUnpaid({ exchange, meter, answer }: RelayParts, tap: Tap) {
  if (await meter.cover(answer.observer.seen)) return undefined
  // The largest number of whole frames that is paid for; `frameCount` of them are all.
  let [paid, unpaid] = [tap.firstNear(), tap.frameCount() + 1]
  while (unpaid - paid > 1) {
    const middle = Math.floor((paid + unpaid) / 2)
    if (await meter.pays(tap.before(middle))) paid = middle
    else unpaid = middle
  }
  const readsOn = hidesInput(exchange, tap.before(paid))
  return { bytes: tap.cutBefore(paid, !readsOn), readsOn }
}

/** The error inside of a stream whose reservation is used up. */
export const moneyUsedUp = () =>
  new GatewayError(
    'balance_used_up',
    'The balance, or the budget of the key, is used up, or reserved for other requests in progress: ' +
      'the answer ends here. What was sent is charged.',
  )

/** The upstream's answer is incomplete: it ended, or hit a time limit. */
export function brokenOff(answer: StreamAnswer): GatewayError {
  const expiry = answer.expiry()
  if (expiry === undefined) {
    return new GatewayError('upstream_error', 'The upstream broke off in the middle of its answer.')
  }
  return new GatewayError('upstream_timeout', failureClasses[`timeout_${expiry}`].message)
}

/** The failure as the stream's last event. `mayBeEmpty`: nothing behind the end of a translated stream. */
export function encodeFailure(
  parts: RelayParts,
  error: unknown,
  { isFirst, mayBeEmpty }: { readonly isFirst: boolean; readonly mayBeEmpty: boolean },
): Uint8Array {
  const { exchange, answer } = parts
  const shown = streamError(parts, error)
  const failure = {
    status: shown.status,
    code: shown.kind,
    message: shown.message,
    param: undefined,
    ...answerHead(exchange),
    answer: answer.observer.seen,
  }
  const translated = answer.translator?.fail(failure)
  const isOwn = translated !== undefined && (translated !== '' || mayBeEmpty)
  const text = isOwn ? translated : exchange.protocol.encodeStreamError(failure, exchange, isFirst)
  return new TextEncoder().encode(text)
}

/** Events further apart than this are not sent, or read, together. */
const apartMs = 25

/** The events of a failure one by one: some libraries expect an error alone. */
export async function* eventsOf(
  encoded: Uint8Array,
  { framing }: Pick<Exchange, 'framing'>,
): AsyncGenerator<Uint8Array> {
  const text = new TextDecoder().decode(encoded)
  const events = framing === 'sse' ? text.split(/(?<=\n\r?\n)(?=.)/) : [text]
  for (const [index, event] of events.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, apartMs))
    if (event !== '') yield new TextEncoder().encode(event)
  }
}

function streamError({ exchange, answer }: RelayParts, error: unknown): GatewayError {
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
  /** The usage chunk is asked for by the gateway, not by the client. */
  readonly hideUsage: boolean
  readonly meter: Meter
  readonly heartbeat: Heartbeat
  /** Charges and stores as `settle` does; rejects with a `GatewayError` (logged). */
  readonly settle: (end: End, seen: Observation, chargesLate: boolean) => Promise<void>
}
