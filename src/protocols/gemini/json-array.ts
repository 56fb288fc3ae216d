import { Brackets, openBrace, openBracket } from '../canonical/json-text.ts'
import type { Frame } from '../protocol.ts'
import { Splitter } from '../splitter.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const none = -1

/** Splits the JSON array that Gemini streams without `alt=sse`. */
export const createJsonArraySplitter = (limit?: number): Splitter => new JsonArraySplitter(limit)

/** Every object in the array is a frame; a body that is one object (an error) is one frame. */
class JsonArraySplitter extends Splitter {
  readonly #brackets = new Brackets()
  #elementDepth = 0
  #element = none
  #starts: number[] = []

  protected override findEnds(chunk: Uint8Array, waiting: number) {
    const brackets = this.#brackets
    const ends: number[] = []
    let cut = 0
    this.#starts = []
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      const step = brackets.step(byte)
      if (step === 1) this.#open(byte, waiting + at)
      else if (step === -1) {
        brackets.depth = Math.max(0, brackets.depth)
        if (this.#element !== none && brackets.depth === this.#elementDepth) {
          cut = at + 1
          this.#starts.push(this.#element)
          ends.push(cut)
          this.#element = none
        }
      }
      // Outside the array's brackets nothing is held.
      if (this.#element === none && brackets.depth === 0 && !brackets.isInString) cut = at + 1
    }
    return { ends, cut }
  }

  #open(byte: number, at: number): void {
    const outside = this.#brackets.depth - 1
    if (byte === openBracket && outside === 0 && this.#element === none) this.#elementDepth = 1
    else if (byte === openBrace && outside === this.#elementDepth) this.#element = at
  }

  protected override isOpen(): boolean {
    return this.#element !== none
  }

  protected override readFrames(whole: Uint8Array, ends: readonly number[]): Frame[] {
    const frames: Frame[] = []
    let start = 0
    for (const [index, end] of ends.entries()) {
      if (this.isUnframed) this.isUnframed = false
      else {
        const data = decoder.decode(whole.subarray(this.#starts[index], end))
        frames.push({ event: '', data, start, end })
      }
      start = end
    }
    // The start of an open element is relative to the first held byte.
    if (this.#element !== none) this.#element = Math.max(0, this.#element - whole.length)
    return frames
  }
}
