import type { ByteReader } from '../outbound/http-call.ts'
import { shownBytes } from '../upstream/hide-secrets.ts'
import { createSkipCheck, hasEnded, isAllSeen, isFetchable, isFinal, mayEnd } from './disconnect.ts'
import { beat, heartbeatBytes } from './heartbeat.ts'
import { Chunks, readToEnd } from './next-chunk.ts'
import {
  brokenOff,
  cutUnpaid,
  encodeFailure,
  eventsOf,
  finish,
  isBeyond,
  moneyUsedUp,
  type Progress,
  type RelayParts,
} from './stream-end.ts'
import { Tap } from './tap.ts'

/** Passes a stream on at the client's pace, and settles it once, before its last bytes leave. */
export function createRelay(parts: RelayParts): AsyncGenerator<Uint8Array> {
  const { exchange, answer, meter, heartbeat } = parts
  const { reader, observer, watch, translator } = answer
  const { seen } = observer
  const chunks = new Chunks(parts)
  const tap = new Tap({ ...parts, observer, translator, limit: () => meter.limit })
  const maySkipRest = createSkipCheck(exchange, seen)
  const progress: Progress = {
    framesSent: false,
    isCut: false,
    readsOn: false,
    disconnectedEarly: false,
    isClosed: false,
    isStopped: false,
  }
  let settling: Promise<void> | undefined
  let pulled = false
  let lastByte: number | undefined

  const sent = (bytes: Uint8Array): Uint8Array => {
    lastByte = bytes[bytes.length - 1] ?? lastByte
    heartbeat.sent()
    return bytes
  }

  /** The next bytes, or a heartbeat, unless that would stand within a frame or a line end. */
  const next = () =>
    chunks.next(!tap.isWithinFrame() && lastByte !== carriageReturn && seen.phase !== 'closed')

  const settle = (): Promise<void> => {
    settling ??= finish(parts, progress)
    return settling
  }

  async function* relay(): AsyncGenerator<Uint8Array> {
    pulled = true
    try {
      let held: Uint8Array | undefined
      let chunk: Uint8Array | undefined = answer.first
      while (chunk) {
        tap.observe(chunk)
        if (exchange.interruption === 'client_left' && (isFetchable(seen) || maySkipRest())) return
        const cut = isBeyond(meter, seen) ? await cutUnpaid(parts, tap) : undefined
        const out = cut?.bytes ?? shownBytes(tap.take(), exchange, seen)
        tap.release()
        if (cut) {
          progress.isCut = true
          progress.readsOn = cut.readsOn
        }
        if (isFinal(seen)) await settle()
        if (held?.byteLength) {
          progress.framesSent = true
          yield sent(held)
        }
        held = undefined
        if (cut) {
          progress.framesSent ||= out.byteLength > 0
          if (out.byteLength > 0) yield sent(out)
          if (!progress.readsOn) throw moneyUsedUp()
          // The end is read without the client.
          const flags = { isFirst: !progress.framesSent, isStored: true }
          yield* eventsOf(encodeFailure(parts, moneyUsedUp(), flags), exchange)
          return
        }
        if (translator?.isAtStop() && !hasEnded(seen) && isAllSeen(exchange, seen)) {
          // The rest is unwanted, and causes no unseen work.
          progress.isStopped = true
          exchange.abort()
          await settle()
          const end = new TextEncoder().encode(translator.endAtStop(exchange.usage))
          yield sent(Buffer.concat([out, end]))
          return
        }
        if (translator?.isOver() && !hasEnded(seen)) {
          // The stream can't be translated any further: these bytes end it.
          await settle()
          if (out.byteLength > 0) yield sent(out)
          throw brokenOff(answer)
        }
        // A possible end of the answer is held until it is settled.
        if (mayEnd(seen)) held = out
        else if (out.byteLength > 0) {
          progress.framesSent = true
          yield sent(out)
        }
        let came = await next()
        while (came === beat) {
          yield sent(heartbeatBytes(exchange, { isFirst: lastByte === undefined }))
          came = await next()
        }
        chunk = came
      }
      const rest = shownBytes(tap.end(), exchange, seen)
      progress.isClosed = true
      await settle()
      if (held?.byteLength) yield sent(held)
      if (rest.byteLength > 0 && (hasEnded(seen) || endsLine(rest))) yield sent(rest)
      if (!hasEnded(seen) || translator?.isOver() === false) throw brokenOff(answer)
    } catch (error) {
      if (exchange.interruption === 'client_left') return
      const isStored = await settled(settle)
      // A line end of two characters may be cut in half; a frame that was too long, anywhere.
      if (lastByte === carriageReturn) yield lineFeed
      if (exchange.framing === 'sse' && tap.isWithinFrame()) yield emptyLine
      yield* eventsOf(
        encodeFailure(parts, error, { isFirst: !progress.framesSent, isStored }),
        exchange,
      )
    } finally {
      if (
        settling === undefined &&
        !answer.signal.aborted &&
        (progress.readsOn || !progress.isCut)
      ) {
        const ended = await readToEnd(parts, tap, chunks, maySkipRest, progress.readsOn)
        progress.isClosed = ended === 'whole'
        progress.isCut ||= ended === 'unpaid'
      }
      heartbeat.stop()
      await settled(settle)
      await closeUpstream(reader)
    }
  }

  const stream = relay()
  watch.paused() // a slow reader is not the upstream's silence
  exchange.onEnding = () => {
    const { interruption } = exchange
    if (interruption === 'client_left') {
      progress.disconnectedEarly ||= !hasEnded(seen)
      // Nothing billable is left to see.
      if (isFinal(seen) || isFetchable(seen) || isAllSeen(exchange, seen)) exchange.abort()
    }
    // A stream that was never pulled has no end of its own; a slow reader reaches it too late.
    if (!pulled && interruption !== undefined) consume(stream)
    else if (interruption !== 'client_left') void settled(settle)
  }
  return stream
}

/** Waits for a settlement, which logs its own failure; returns whether it is stored. */
async function settled(settle: () => Promise<void>): Promise<boolean> {
  try {
    await settle()
    return true
  } catch {
    return false // logged where it failed
  }
}

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

const carriageReturn = 0x0d
const lineFeed = Uint8Array.of(0x0a)
const emptyLine = Uint8Array.of(0x0a, 0x0a)

function endsLine(bytes: Uint8Array): boolean {
  return bytes.at(-1) === 0x0a || bytes.at(-1) === carriageReturn
}
