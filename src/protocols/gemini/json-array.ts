import { Brackets, openBrace, openBracket } from '../canonical/json-text.ts'
import type { Frame } from '../protocol.ts'
import { Splitter } from '../splitter.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const none = -1

/** Cuts the streamed JSON array that Gemini sends without `alt=sse`. */
export const createJsonArraySplitter = (limit?: number): Splitter => new JsonArraySplitter(limit)

/** Every object in the array is a frame; a body that is one object (an error) is one frame. */
class JsonArraySplitter extends Splitter {
  readonly #brackets = new Brackets()
  /** How deep the elements lie: 1 once the array's own bracket was seen. */
  #elementDepth = 0
  /** Where the open element begins, counted from the first waiting byte. */
  #element = none
  /** Where those begin that end in the chunk. */
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
      // Before the array's bracket and from its closing one on, nothing has to wait.
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

  protected override readRest(): Frame[] {
    return []
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
    // An element that is still open counts from the first byte that stays behind.
    if (this.#element !== none) this.#element = Math.max(0, this.#element - whole.length)
    return frames
  }
}
