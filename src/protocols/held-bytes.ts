/** More bytes than this are not held back for one frame: they pass on without being framed. */
export const heldBytesLimit = 32 * 1024 * 1024

const smallest = 4096

/**
 * Bytes that wait for the rest of their frame, copied into one growing buffer, so that a frame
 * that comes in thousands of pieces costs time and memory in proportion to its size.
 */
export interface HeldBytes {
  readonly length: number
  add(bytes: Uint8Array): void
  /** The held bytes followed by `tail`, no longer held. Nothing held: `tail` itself, uncopied. */
  take(tail: Uint8Array): Uint8Array
}

/** Nothing held yet. */
export function createHeldBytes(): HeldBytes {
  let buffer = new Uint8Array(0)
  let length = 0

  return {
    get length() {
      return length
    },
    add(bytes) {
      const needed = length + bytes.length
      if (needed > buffer.length) {
        const wider = new Uint8Array(Math.max(smallest, needed, buffer.length * 2))
        wider.set(buffer.subarray(0, length))
        buffer = wider
      }
      buffer.set(bytes, length)
      length = needed
    },
    take(tail) {
      if (length === 0) return tail
      const whole = new Uint8Array(length + tail.length)
      whole.set(buffer.subarray(0, length))
      whole.set(tail, length)
      length = 0
      // A large frame is rare: its buffer is not kept for the rest of the stream.
      if (buffer.length > 64 * 1024) buffer = new Uint8Array(0)
      return whole
    },
  }
}
