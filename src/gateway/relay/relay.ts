import {
  hasEnded,
  isFetchable,
  isFinal,
  mayEnd,
  type Observation,
} from '../../protocols/canonical/observation.ts'
import { shownBytes } from '../upstream/hide-secrets.ts'
import { isAllSeen, reportsInput } from './disconnect.ts'
import { beat, heartbeatBytes } from './heartbeat.ts'
import { Chunks } from './next-chunk.ts'
import {
  brokenOff,
  cutUnpaid,
  encodeFailure,
  eventsOf,
  finish,
  isBeyond,
  moneyUsedUp,
  Progress,
  type RelayParts,
} from './stream-end.ts'
import { Tap } from './tap.ts'

/** Passes a stream on at the client's pace, and settles it once, before its last bytes leave. */
export const createRelay = (parts: RelayParts): AsyncGenerator<Uint8Array> =>
  new Relay(parts).stream

class Relay {
  readonly stream: AsyncGenerator<Uint8Array>
  readonly #parts: RelayParts
  readonly #seen: Observation
  readonly #chunks: Chunks
  readonly #tap: Tap
  readonly #progress = new Progress()
  #settling: Promise<void> | undefined
  #isPulled = false
  #lastByte: number | undefined
  /** Whether the upstream bills nothing more than was seen; undefined: not known yet. */
  #mayStop: boolean | undefined

  constructor(parts: RelayParts) {
    const { exchange, answer, meter } = parts
    const { observer, translator, watch } = answer
    this.#parts = parts
    this.#seen = observer.seen
    this.#chunks = new Chunks(parts)
    this.#tap = new Tap({ ...parts, observer, translator, limit: () => meter.limit })
    this.stream = this.#relay()
    watch.passedOn()
    exchange.onInterrupted = () => this.#interrupted()
  }

  async *#relay(): AsyncGenerator<Uint8Array> {
    const { exchange, answer, meter } = this.#parts
    const { translator } = answer
    const seen = this.#seen
    const tap = this.#tap
    this.#isPulled = true
    try {
      let held: Uint8Array | undefined
      let chunk: Uint8Array | undefined = answer.first
      while (chunk) {
        tap.observe(chunk)
        if (exchange.interruption === 'client_left' && (isFetchable(seen) || this.#maySkipRest()))
          return
        const cut = isBeyond(meter, seen) ? await cutUnpaid(this.#parts, tap) : undefined
        const out = cut?.bytes ?? shownBytes(tap.take(), exchange, seen)
        tap.release()
        if (cut) {
          this.#progress.isCut = true
          this.#progress.readsOn = cut.readsOn
        }
        if (isFinal(seen)) await this.#settle()
        if (held?.byteLength) yield this.#sent(held)
        held = undefined
        if (cut) {
          if (out.byteLength > 0) yield this.#sent(out)
          if (!cut.readsOn) throw moneyUsedUp()
          // The client's part ends here, uncharged as yet: the end is read without it.
          yield* this.#failureEvents(moneyUsedUp(), true)
          return
        }
        if (translator?.isAtStop() && !hasEnded(seen) && isAllSeen(exchange, seen)) {
          // The rest is unwanted, and causes no unseen work.
          this.#progress.isStopped = true
          exchange.abort()
          await this.#settle()
          const end = new TextEncoder().encode(translator.endAtStop(exchange.usage))
          yield this.#sent(Buffer.concat([out, end]))
          return
        }
        if (translator?.isOver() && !hasEnded(seen)) {
          // The stream can't be translated any further: these bytes end it.
          await this.#settle()
          if (out.byteLength > 0) yield this.#sent(out)
          throw brokenOff(answer)
        }
        // A possible end of the answer is held until it is settled.
        if (mayEnd(seen)) held = out
        else if (out.byteLength > 0) yield this.#sent(out)
        let came = await this.#next()
        while (came === beat) {
          yield this.#heartbeat()
          came = await this.#next()
        }
        chunk = came
      }
      const rest = shownBytes(tap.end(), exchange, seen)
      this.#progress.isReadToEnd = true
      await this.#settle()
      if (held?.byteLength) yield this.#sent(held)
      if (rest.byteLength > 0 && (hasEnded(seen) || endsLine(rest))) yield this.#sent(rest)
      if (!hasEnded(seen) || translator?.isOver() === false) throw brokenOff(answer)
    } catch (error) {
      if (exchange.interruption === 'client_left') return
      const isStored = await this.#settled()
      // A line end of two characters may be cut in half; a frame that was too long, anywhere.
      if (this.#lastByte === carriageReturn) yield lineFeed
      if (exchange.framing === 'sse' && tap.isWithinFrame()) yield emptyLine
      yield* this.#failureEvents(error, isStored)
    } finally {
      await this.#end()
    }
  }

  /** The next bytes, or a heartbeat, unless that would stand within a frame or a line end. */
  #next() {
    const mayBeat =
      !this.#tap.isWithinFrame() &&
      this.#lastByte !== carriageReturn &&
      this.#seen.phase !== 'closed'
    return this.#chunks.next(mayBeat)
  }

  #sent(bytes: Uint8Array): Uint8Array {
    this.#progress.framesSent = true
    this.#parts.answer.watch.passedOn()
    return this.#noted(bytes)
  }

  #heartbeat(): Uint8Array {
    const isFirst = this.#lastByte === undefined
    return this.#noted(heartbeatBytes(this.#parts.exchange, { isFirst }))
  }

  #noted(bytes: Uint8Array): Uint8Array {
    this.#lastByte = bytes[bytes.length - 1] ?? this.#lastByte
    this.#parts.heartbeat.sent()
    return bytes
  }

  #failureEvents(error: unknown, mayBeEmpty: boolean): AsyncGenerator<Uint8Array> {
    const flags = { isFirst: !this.#progress.framesSent, mayBeEmpty }
    return eventsOf(encodeFailure(this.#parts, error, flags), this.#parts.exchange)
  }

  #settle(): Promise<void> {
    this.#settling ??= finish(this.#parts, this.#progress)
    return this.#settling
  }

  /** Whether it is settled and stored; a failure is logged where it happened. */
  #settled(): Promise<boolean> {
    return this.#settle().then(
      () => true,
      () => false,
    )
  }

  /** Whether the client has disconnected, and the upstream may be stopped. Its input must be reported. */
  #maySkipRest(): boolean {
    const { exchange } = this.#parts
    if (exchange.interruption !== 'client_left' || !reportsInput(this.#seen)) return false
    this.#mayStop ??= isAllSeen(exchange, this.#seen)
    return this.#mayStop
  }

  #interrupted(): void {
    const { exchange } = this.#parts
    const { interruption } = exchange
    const seen = this.#seen
    if (interruption === 'client_left') {
      this.#progress.disconnectedEarly ||= !hasEnded(seen)
      // Nothing billable is left to see.
      if (isFinal(seen) || isFetchable(seen) || isAllSeen(exchange, seen)) exchange.abort()
    }
    // A stream that was never pulled has no end of its own; a slow reader reaches it too late.
    if (!this.#isPulled && interruption !== undefined) void consume(this.stream)
    else if (interruption !== 'client_left') void this.#settled()
  }

  /** The client got its last bytes, or disconnected. */
  async #end(): Promise<void> {
    const { answer, heartbeat } = this.#parts
    const { readsOn, isCut } = this.#progress
    const isUncharged = this.#settling === undefined && !answer.signal.aborted
    if (isUncharged && (readsOn || !isCut)) await this.#readToEnd()
    heartbeat.stop()
    await this.#settled()
    this.#parts.exchange.limitSilence()
    await answer.reader.cancel().catch(() => {}) // already broken: nothing is left to close
  }

  /** Reads the answer to its end without the client, to charge it, or until the money runs out. */
  async #readToEnd(): Promise<void> {
    const { exchange, meter } = this.#parts
    const seen = this.#seen
    const progress = this.#progress
    let isUnpaid = progress.readsOn
    try {
      while (!isFinal(seen) && !isFetchable(seen)) {
        if (this.#maySkipRest()) {
          exchange.abort()
          return
        }
        const chunk = await this.#chunks.next(false)
        if (chunk === undefined || chunk === beat) break
        this.#tap.observe(chunk)
        const mayCut = !isUnpaid && isBeyond(meter, seen)
        const cut = mayCut ? await cutUnpaid(this.#parts, this.#tap) : undefined
        isUnpaid ||= cut !== undefined
        if (cut?.readsOn === false) {
          progress.isCut = true
          return
        }
      }
      this.#tap.end()
      progress.isReadToEnd = true
    } catch {
      // The upstream broke off.
    }
  }
}

async function consume(stream: AsyncGenerator<Uint8Array>): Promise<void> {
  while (!(await stream.next()).done);
}

const carriageReturn = 0x0d
const lineFeed = Uint8Array.of(0x0a)
const emptyLine = Uint8Array.of(0x0a, 0x0a)

function endsLine(bytes: Uint8Array): boolean {
  return bytes.at(-1) === 0x0a || bytes.at(-1) === carriageReturn
}
