import type { Frame, FrameSplitter, Frames } from './protocol.ts'

/** A longer frame is not buffered: its bytes pass unframed. */
export const heldBytesLimit = 32 * 1024 * 1024

const none = new Uint8Array(0)

/** Splits a byte stream into frames; subclasses find their ends. A frame above `limit` passes unframed. */
export abstract class Splitter implements FrameSplitter {
  readonly #limit: number
  readonly #held = new HeldBytes()
  protected isUnframed = false

  constructor(limit: number = heldBytesLimit) {
    this.#limit = limit
  }

  /** Offsets in `chunk` after each frame, and after the last byte that can pass; `waiting` bytes came before. */
  protected abstract findEnds(chunk: Uint8Array, waiting: number): { ends: number[]; cut: number }
  /** The frames of `whole`, by the offsets of their ends. */
  protected abstract readFrames(whole: Uint8Array, ends: readonly number[]): Frame[]
  /** Whether a frame has begun and not ended. */
  protected isOpen(): boolean {
    return true
  }
  /** The frame of the bytes that wait when the stream ends. */
  protected readRest(_whole: Uint8Array): Frame[] {
    return []
  }

  isWithinFrame(): boolean {
    return this.isUnframed
  }

  push(chunk: Uint8Array): Frames {
    const waiting = this.#held.length
    const { ends, cut } = this.findEnds(chunk, waiting)
    const isTooLong = (cut === 0 ? waiting + chunk.length : chunk.length - cut) > this.#limit
    if (cut === 0 && !isTooLong && !this.isUnframed) {
      this.#held.add(chunk)
      return { whole: none, frames: [] }
    }
    // The rest of an unframed frame passes too, up to its end.
    const isAll = isTooLong || (this.isUnframed && ends.length === 0) || cut === chunk.length
    const whole = this.#held.take(isAll ? chunk : chunk.subarray(0, cut))
    const frames = this.readFrames(whole, waiting === 0 ? ends : ends.map((end) => end + waiting))
    if (isTooLong) this.isUnframed = this.isOpen()
    if (!isAll) this.#held.add(chunk.subarray(cut))
    return { whole, frames }
  }

  end(): Frames {
    const whole = this.#held.take(none)
    return { whole, frames: whole.length === 0 ? [] : this.readRest(whole) }
  }
}

const smallest = 4096
const largestKept = 64 * 1024

/** Bytes that wait for the rest of their frame, in one growing buffer: many small pieces cost no more than one. */
class HeldBytes {
  length = 0
  #buffer = none

  add(bytes: Uint8Array): void {
    const needed = this.length + bytes.length
    if (needed > this.#buffer.length) {
      const wider = new Uint8Array(Math.max(smallest, needed, this.#buffer.length * 2))
      wider.set(this.#buffer.subarray(0, this.length))
      this.#buffer = wider
    }
    this.#buffer.set(bytes, this.length)
    this.length = needed
  }

  take(tail: Uint8Array): Uint8Array {
    const { length } = this
    if (length === 0) return tail
    const whole = new Uint8Array(length + tail.length)
    whole.set(this.#buffer.subarray(0, length))
    whole.set(tail, length)
    this.length = 0
    // Large frames are rare: the buffer is released.
    if (this.#buffer.length > largestKept) this.#buffer = none
    return whole
  }
}
