import type { Observation, Outcome } from '../protocols/canonical/observation.ts'
import type { FrameSplitter } from '../protocols/protocol.ts'
import type { Ending } from '../store/ports/records.ts'
import type { StreamAnswer } from './answer.ts'
import type { ByteReader } from './byte-reader.ts'
import type { AttemptCause } from './causes.ts'
import { GatewayError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { failureClasses } from './failures/failures.ts'
import { beat, type Heartbeat, heartbeatBytes } from './heartbeat.ts'
import { shownBytes, shownError } from './hide-secrets.ts'
import { heldUpMs, hidesInput, isAllSeen, leftTexts, showsAll, stopOnTold } from './leaving.ts'
import type { Meter } from './meter.ts'
import { type Chunks, createChunks } from './next-chunk.ts'
import { balanceUsedUp, type End } from './record.ts'
import { createTap, type Tap } from './tap.ts'

export interface RelayParts {
  readonly exchange: Exchange
  readonly answer: StreamAnswer
  readonly splitter: FrameSplitter
  /** The upstream is asked for a usage chunk that the client did not ask for. */
  readonly hideUsage: boolean
  readonly meter: Meter
  readonly heartbeat: Heartbeat
  /**
   * Charges and stores; resolves when committed, rejects with a `GatewayError` (logged) if not. What
   * the client has a part of is stored later then.
   */
  readonly settle: (end: End, seen: Observation, isDelivered: boolean) => Promise<void>
}

/**
 * Passes a streamed answer on, pulled by the client's reading, and settles it before its last
 * bytes leave. Settling happens once, however the stream ends: complete, broken off, out of time,
 * or because the client left before the first byte was pulled.
 */
export function createRelay(parts: RelayParts): AsyncGenerator<Uint8Array> {
  const { exchange, answer, meter, heartbeat } = parts
  const { reader, observer, watch, translator } = answer
  const { seen } = observer
  const chunks = createChunks(parts)
  const tap = createTap({ ...parts, observer, translator, limit: () => meter.limit })
  const mayStop = stopOnTold(exchange, seen)
  let settling: Promise<void> | undefined
  let pulled = false
  let framesSent = false
  let isUnpaid = false
  /** Unpaid, and how much was read for it is told at its end only. */
  let isOwing = false
  /** The client left before all of the answer was here. */
  let leftEarly = false
  /** The upstream has closed its answer, and not broken off. */
  let isClosed = false
  let lastByte: number | undefined

  /** What goes to the client, and how it ends. */
  const sent = (bytes: Uint8Array): Uint8Array => {
    lastByte = bytes[bytes.length - 1] ?? lastByte
    heartbeat.sent()
    return bytes
  }

  /** What comes next, or a heartbeat that is due before; inside of a frame there is no place for one. */
  const next = () => chunks.next(!tap.isWithinFrame())

  const settle = (): Promise<void> => {
    settling ??= finish(parts, { framesSent, isUnpaid, isOwing, leftEarly, isClosed })
    return settling
  }

  async function* relay(): AsyncGenerator<Uint8Array> {
    pulled = true
    try {
      let held: Uint8Array | undefined
      let chunk: Uint8Array | undefined = answer.first
      while (chunk) {
        tap.observe(chunk)
        if (exchange.interruption === 'client_left' && (isFetchable(seen) || mayStop())) return
        const paid = isBeyond(meter, seen) ? await cutUnpaid(parts, tap) : undefined
        const out = paid?.bytes ?? shownBytes(tap.take(), exchange, seen)
        if (paid) {
          isUnpaid = true
          isOwing = paid.isOwing
        }
        if (isFinal(seen)) await settle()
        if (held?.byteLength) {
          framesSent = true
          yield sent(held)
        }
        held = undefined
        if (paid) {
          framesSent ||= out.byteLength > 0
          if (out.byteLength > 0) yield sent(out)
          if (!isOwing) throw endForMoney()
          // The end is read without the client.
          const told = encodeFailure(parts, endForMoney(), !framesSent)
          if (told.byteLength > 0) yield told
          return
        }
        if (translator?.isOver() && !hasEnded(seen)) {
          // What came can't be translated any further: with these bytes the client is told.
          await settle()
          if (out.byteLength > 0) yield sent(out)
          throw brokenOff(answer)
        }
        // What could be the answer's end waits until it is known to be, and settled.
        if (mayEnd(seen)) held = out
        else if (out.byteLength > 0) {
          framesSent = true
          yield sent(out)
        }
        let came = await next()
        while (came === beat) {
          yield sent(heartbeatBytes(exchange.framing))
          came = await next()
        }
        chunk = came
      }
      const rest = shownBytes(tap.end(), exchange, seen)
      isClosed = true
      await settle()
      if (held?.byteLength) yield sent(held)
      if (rest.byteLength > 0 && (hasEnded(seen) || endsLine(rest))) yield sent(rest)
      if (!hasEnded(seen) || translator?.isOver() === false) throw brokenOff(answer)
    } catch (error) {
      if (exchange.interruption === 'client_left') return
      await settled(settle)
      // A line end of two characters may have been cut in half; a frame that was too long, anywhere.
      if (lastByte === carriageReturn) yield lineFeed
      if (exchange.framing === 'sse' && tap.isWithinFrame()) yield emptyLine
      const told = encodeFailure(parts, error, !framesSent)
      if (told.byteLength > 0) yield told
    } finally {
      if (settling === undefined && !answer.signal.aborted && (isOwing || !isUnpaid)) {
        const drained = await drain(parts, { tap, chunks, mayStop, isOwing })
        isClosed = drained === 'whole'
        isUnpaid ||= drained === 'unpaid'
      }
      heartbeat.stop()
      await settled(settle)
      await closeUpstream(reader)
    }
  }

  const stream = relay()
  watch.paused() // whoever is slow to read it is not the upstream
  exchange.onInterrupted = () => {
    const { interruption } = exchange
    if (interruption === 'client_left') {
      leftEarly ||= !hasEnded(seen)
      // There is nothing more to learn, or nothing that is not seen on the way.
      if (isFinal(seen) || isFetchable(seen) || isAllSeen(exchange, seen)) exchange.abort()
    }
    // A stream that was never pulled has no end of its own; one that waits for a slow reader
    // reaches it too late.
    if (!pulled && interruption !== undefined) consume(stream)
    else if (interruption !== 'client_left') void settled(settle)
  }
  return stream
}

/** The answer has more text than the meter has counted. */
const isBeyond = (meter: Meter, seen: Observation) => seen.text.bytes > meter.limit

/**
 * The part of the last bytes that is paid for, when the money has ended; else undefined. `isOwing`: what was
 * read for the answer was not told by then, so the rest still counts.
 */
async function cutUnpaid({ exchange, meter, answer }: RelayParts, tap: Tap) {
  if (await meter.cover(answer.observer.seen)) return undefined
  // The largest number of whole frames that is paid for; `frameCount` of them are all.
  let [paid, unpaid] = [tap.firstNear(), tap.frameCount() + 1]
  while (unpaid - paid > 1) {
    const middle = Math.floor((paid + unpaid) / 2)
    if (await meter.pays(tap.before(middle))) paid = middle
    else unpaid = middle
  }
  const isOwing = hidesInput(exchange, tap.before(paid))
  return { bytes: tap.cutBefore(paid, !isOwing), isOwing }
}

/** Told inside of the stream, when what could be set aside for it is used. */
const endForMoney = () =>
  new GatewayError(
    'balance_used_up',
    'The balance, or the budget of the key, is used up, or set aside for other requests under way: ' +
      'the answer ends here. What came is charged.',
  )

/** How far a relay has come. */
interface Progress {
  readonly framesSent: boolean
  readonly isUnpaid: boolean
  readonly isOwing: boolean
  readonly leftEarly: boolean
  readonly isClosed: boolean
}

/** Charges and stores, once. */
async function finish(parts: RelayParts, progress: Progress): Promise<void> {
  const { seen } = parts.answer.observer
  const { framesSent, isUnpaid, leftEarly } = progress
  const end = isUnpaid
    ? unpaidEnd(parts, progress)
    : leftEarly
      ? leftEnd(parts, progress)
      : endOf(parts)
  parts.answer.finish(attemptCause(parts, end))
  await parts.settle(end, seen, framesSent || leftEarly)
}

/** How a stream ended that its client has left in the middle. */
function leftEnd(parts: RelayParts, { isClosed }: Progress): End {
  const { exchange, answer } = parts
  const { seen } = answer.observer
  const end = endOf(parts)
  if (end.ending === 'failed' || end.ending === 'shutdown') return end
  const isRead = isReadWhole(seen, isClosed)
  const isLost = !isRead && exchange.interruption !== 'shutdown' && !showsAll(exchange, seen)
  const isDrained = exchange.plan?.group.onDisconnect === 'drain'
  const why = isLost ? 'lost' : isDrained ? 'drained' : isRead ? 'read' : 'seen'
  const cause = 'client_left'
  return { ending: cause, status: 200, cause, causeText: leftTexts[why], isLost }
}

/** Its end was read, and with it all that is told of what it used. */
const isReadWhole = (seen: Observation, isClosed: boolean) =>
  hasEnded(seen) && (isClosed || isFinal(seen) || seen.usage !== undefined)

/** What the attempt's row says: a stop at a limit of the answer's length is no failure. */
function attemptCause({ answer }: RelayParts, { ending, cause }: End): AttemptCause | null {
  const expiry = answer.expiry()
  return ending === 'cut' && expiry !== undefined ? `timeout_${expiry}` : cause
}

/** Waits for a settlement whose failure its own log line has told. */
async function settled(settle: () => Promise<void>): Promise<void> {
  try {
    await settle()
  } catch {
    // Logged where it failed; the client is told by an error event, or has left.
  }
}

/** All that the answer began with was brought to its end, or to an error. */
const hasEnded = (seen: Observation) => seen.outcome !== undefined && seen.phase !== 'open'

/** The protocol's own last event was seen: nothing that follows changes the charge. */
const isFinal = (seen: Observation) => seen.phase === 'closed' && seen.outcome !== 'failed'

/** It goes on in the background without a reader: its end is fetched by its id. */
const isFetchable = (seen: Observation) => seen.pending && seen.answerId !== undefined

/** This could be all; but usage may still follow, even behind an error. */
const mayEnd = (seen: Observation) => seen.phase !== 'open' && !isFinal(seen)

interface Draining {
  readonly tap: Tap
  readonly chunks: Chunks
  /** Nothing is lost when the upstream is stopped now. */
  readonly mayStop: () => boolean
  /** The money has ended, and what was read for the answer is told at its end only. */
  readonly isOwing: boolean
}

/**
 * The client left, or its money has ended, and not all can be seen that it owes: read on without it, until
 * the money ends, where what was read by then is known.
 */
async function drain(
  parts: RelayParts,
  { tap, chunks, mayStop, isOwing }: Draining,
): Promise<'whole' | 'unpaid' | 'broken' | 'stopped'> {
  const { answer, meter, exchange } = parts
  let owes = isOwing
  try {
    while (!isFinal(answer.observer.seen) && !isFetchable(answer.observer.seen)) {
      if (mayStop()) {
        exchange.abort()
        return 'stopped'
      }
      const chunk = await chunks.next(false)
      if (chunk === undefined || chunk === beat) break
      tap.observe(chunk)
      const { seen } = answer.observer
      const cut = !owes && isBeyond(meter, seen) ? await cutUnpaid(parts, tap) : undefined
      if (cut?.isOwing === false) return 'unpaid'
      owes ||= cut !== undefined
    }
    tap.end()
    return 'whole'
  } catch {
    return 'broken' // the upstream broke off
  }
}

/** Pulls a stream that nobody else will. */
function consume(stream: AsyncGenerator<Uint8Array>): void {
  const pull = async () => {
    while (!(await stream.next()).done);
  }
  void pull()
}

async function closeUpstream(reader: ByteReader): Promise<void> {
  try {
    await reader.cancel()
  } catch {
    // Already broken: nothing is left to close.
  }
}

const endings: Readonly<Record<Outcome, Ending>> = {
  complete: 'complete',
  incomplete: 'incomplete',
  failed: 'failed',
}

function unpaidEnd({ exchange, answer }: RelayParts, { isOwing, isClosed }: Progress): End {
  const { seen } = answer.observer
  const isRead = isOwing && isReadWhole(seen, isClosed)
  return {
    ...{ ending: 'cut', status: 200, cause: balanceUsedUp },
    causeText: isRead ? `${moneyEnded} ${inputRead}` : moneyEnded,
    isCapped: !isRead,
    isLost: !isRead && !showsAll(exchange, seen),
  }
}

const moneyEnded =
  'The answer was ended when the balance, or the budget of the key, was used up, or set aside for ' +
  'other requests under way.'
const inputRead =
  'How much was read for it (files, stored answers, what tools found) is told only at the end, so the ' +
  'answer was read to its end and is charged as a whole.'

/** How the stream ended, as far as can be told now. */
function endOf({ exchange, answer }: RelayParts): End {
  const { seen } = answer.observer
  if (seen.outcome === 'failed') {
    const causeText = shownError(exchange, seen) ?? 'The upstream reported an error in its stream.'
    return { ending: 'failed', status: 200, cause: 'upstream_error', causeText }
  }
  if (seen.outcome !== undefined && hasEnded(seen)) {
    return { ending: endings[seen.outcome], status: 200, cause: null, causeText: null }
  }
  const { interruption } = exchange
  if (interruption !== undefined) {
    return { ending: interruption, status: 200, cause: interruption, causeText: null }
  }
  const error = brokenOff(answer)
  // A break is the upstream's fault, and what was observed is charged, unless the client has made it.
  const isLost = answer.watch.pausedMs() >= heldUpMs && !showsAll(exchange, seen)
  const causeText = isLost ? `${error.message} ${leftTexts.heldUp}` : error.message
  return { ending: 'cut', status: 200, cause: error.kind, causeText, isLost }
}

function brokenOff(answer: StreamAnswer): GatewayError {
  const expiry = answer.expiry()
  if (expiry === undefined) {
    return new GatewayError('upstream_error', 'The upstream broke off in the middle of its answer.')
  }
  return new GatewayError('upstream_timeout', failureClasses[`timeout_${expiry}`].message)
}

/** The failure as the last event of the client's stream. */
function encodeFailure(parts: RelayParts, error: unknown, first: boolean): Uint8Array {
  const { exchange, answer } = parts
  const told = failureToTell(parts, error)
  const failure = {
    status: told.status,
    code: told.kind,
    message: told.message,
    param: undefined,
    requestId: exchange.requestId,
    answer: answer.observer.seen,
  }
  const text =
    answer.translator?.fail(failure) ??
    exchange.protocol.encodeStreamError(failure, exchange.framing, first)
  return new TextEncoder().encode(text)
}

function failureToTell({ exchange, answer }: RelayParts, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (exchange.interruption === 'shutdown') {
    return new GatewayError('no_channel', 'The gateway is being stopped. Repeat the request.')
  }
  return brokenOff(answer)
}

const carriageReturn = 0x0d
const lineFeed = Uint8Array.of(0x0a)
const emptyLine = Uint8Array.of(0x0a, 0x0a)

function endsLine(bytes: Uint8Array): boolean {
  return bytes.at(-1) === 0x0a || bytes.at(-1) === carriageReturn
}
