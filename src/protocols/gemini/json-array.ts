import type { Frame, FrameSplitter, Frames } from '../protocol.ts'
import { createHeldBytes, heldBytesLimit } from '../sse.ts'

const quote = 0x22
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const nothing = new Uint8Array(0)
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Cuts the streamed JSON array that Gemini sends without `alt=sse`: every object in it is a frame,
 * which begins with the bracket or comma before it. A body that is no array but one object (an
 * error) is one frame. An object above `limit` waiting bytes passes on without being framed.
 */
export function createJsonArraySplitter(limit: number = heldBytesLimit): FrameSplitter {
  const held = createHeldBytes()
  let depth = 0
  // How deep the elements lie: 1 once the array's own bracket was seen.
  let elementDepth = 0
  let inString = false
  let escaped = false
  // Where the element begins, counted from the first held byte; -1 between elements.
  let element = -1
  let unframed = false

  interface Cut {
    readonly from: number
    readonly to: number
  }

  /** Elements that end in `chunk`, and the end of all that can go out. */
  function scan(chunk: Uint8Array, waiting: number): { cuts: Cut[]; cut: number } {
    const cuts: Cut[] = []
    let cut = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (inString) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) inString = false
        continue
      }
      if (byte === quote) inString = true
      else if (byte === openBracket && depth === 0 && element === -1) {
        depth = 1
        elementDepth = 1
      } else if (byte === openBrace || byte === openBracket) {
        if (depth === elementDepth && byte === openBrace) element = waiting + at
        depth++
      } else if (byte === closeBrace || byte === closeBracket) {
        depth = Math.max(0, depth - 1)
        if (element !== -1 && depth === elementDepth) {
          cut = at + 1
          cuts.push({ from: element, to: waiting + cut })
          element = -1
        }
      }
      // Before the array's bracket and from its closing one on, nothing has to wait.
      if (element === -1 && depth === 0) cut = at + 1
    }
    return { cuts, cut }
  }

  function readFrames(whole: Uint8Array, cuts: readonly Cut[]): Frame[] {
    const frames: Frame[] = []
    let start = 0
    for (const { from, to } of cuts) {
      if (unframed) unframed = false
      else {
        const data = decoder.decode(whole.subarray(from, to))
        frames.push({ event: '', data, start, end: to })
      }
      start = to
    }
    return frames
  }

  return {
    isWithinFrame: () => unframed,
    push(chunk): Frames {
      const waiting = held.length
      const { cuts, cut } = scan(chunk, waiting)
      const tooLong = (cut === 0 ? waiting + chunk.length : chunk.length - cut) > limit
      if (cut === 0 && !tooLong && !unframed) {
        held.add(chunk)
        return { whole: nothing, frames: [] }
      }
      const all = tooLong || (unframed && cuts.length === 0) || cut === chunk.length
      const whole = held.take(all ? chunk : chunk.subarray(0, cut))
      const frames = readFrames(whole, cuts)
      // An element that is still open now counts from the first byte that stays behind.
      if (element !== -1) element = Math.max(0, element - waiting - cut)
      if (tooLong) unframed = element !== -1
      if (!all) held.add(chunk.subarray(cut))
      return { whole, frames }
    },
    end(): Frames {
      return { whole: held.take(nothing), frames: [] }
    },
  }
}
