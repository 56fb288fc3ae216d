import type { Observation } from '../protocols/canonical/observation.ts'
import { parseJsonObject } from '../protocols/json.ts'
import type { AnswerObserver, Frame, FrameSplitter, Frames } from '../protocols/protocol.ts'
import type { StreamTranslator } from './translation.ts'

const encoder = new TextEncoder()

/** What may go to the client of the bytes that came. */
export interface Tap {
  push(chunk: Uint8Array): Uint8Array
  /** The upstream has ended: what was waiting for its frame's end. */
  end(): Uint8Array
  /** How many frames the last `push` had, where one of them came near to the limit; else 0. */
  frameCount(): number
  /** What was observed before one of these frames. */
  before(frame: number): Observation
  /** Takes back one of these frames and what follows: gives the bytes before it. */
  cutBefore(frame: number): Uint8Array
}

/** What the observer knew before one of the frames. */
interface Mark {
  readonly start: number
  readonly known: Observation
}

export interface TapParts {
  readonly splitter: FrameSplitter
  readonly observer: AnswerObserver
  readonly hideUsage: boolean
  /** Text, in bytes, beyond which a cut may be asked for. */
  readonly limit: () => number
  /** Undefined: frames stay as they are. */
  readonly translator: StreamTranslator | undefined
}

/**
 * Lets bytes through in whole frames while the observer watches them. Frames stay as they are;
 * with `hideUsage` the chunk that carries nothing but usage is left out, because the client did
 * not ask for it. With a translator, each frame becomes what the client's protocol has for it.
 */
export function createTap(parts: TapParts): Tap {
  const { splitter, observer, hideUsage, limit, translator } = parts
  const { seen } = observer
  let marks: Mark[] = []
  let hidden: Frame[] = []
  let last: Uint8Array = new Uint8Array(0)

  const watch = ({ whole, frames }: Frames): Uint8Array => {
    // A frame has no more text than bytes: far from the limit no cut can be asked for.
    const isNear = seen.text.bytes + whole.byteLength > limit()
    marks = []
    hidden = []
    last = whole
    for (const frame of frames) {
      if (isNear) marks.push(markOf(frame.start, seen))
      const role = observer.push(frame.data, frame.event)
      if (hideUsage && role !== 'pass') hidden.push(frame)
    }
    return without(whole, hidden, whole.byteLength)
  }

  const translate = ({ whole, frames }: Frames, translator: StreamTranslator): Uint8Array => {
    const isNear = seen.text.bytes + whole.byteLength > limit()
    marks = []
    hidden = []
    let text = ''
    for (const frame of frames) {
      if (isNear) marks.push(markOf(Buffer.byteLength(text), seen))
      const json = parseJsonObject(frame.data)
      observer.push(frame.data, frame.event, json)
      text += translator.push(frame, json)
    }
    last = encoder.encode(text)
    return last
  }

  const pass = (frames: Frames) =>
    translator === undefined ? watch(frames) : translate(frames, translator)

  /** What closes a translated answer whose own last event may be missing. */
  const close = (): Uint8Array => {
    const isWhole = seen.outcome !== undefined && seen.phase !== 'open'
    return encoder.encode(isWhole ? translator?.end() : '')
  }

  const before = (frame: number): Observation => {
    const { known } = marks[frame] ?? {}
    if (known === undefined) return seen
    const { text } = known
    return { ...known, text: { ...text, sample: seen.text.sample.slice(0, text.length) } }
  }

  return {
    push: (chunk) => pass(splitter.push(chunk)),
    end() {
      const rest = pass(splitter.end())
      return translator === undefined ? rest : Buffer.concat([rest, close()])
    },
    frameCount: () => marks.length,
    before,
    cutBefore(frame) {
      const { start = last.byteLength } = marks[frame] ?? {}
      Object.assign(seen, before(frame))
      return without(last, hidden, start)
    },
  }
}

/** The text that was seen so far is the beginning of what will be seen: it is not copied. */
function markOf(start: number, seen: Observation): Mark {
  const { begun, ended, partIds } = seen
  const sets = { begun: new Set(begun), ended: new Set(ended), partIds: new Set(partIds) }
  return { start, known: { ...seen, ...sets, text: { ...seen.text, sample: '' } } }
}

/** The bytes up to `end`, but for the hidden frames. */
function without(whole: Uint8Array, hidden: readonly Frame[], end: number): Uint8Array {
  const left = hidden.filter((frame) => frame.start < end)
  if (left.length === 0) return end === whole.byteLength ? whole : whole.subarray(0, end)
  const shown: Uint8Array[] = []
  let from = 0
  for (const frame of left) {
    shown.push(whole.subarray(from, frame.start))
    from = frame.end
  }
  return Buffer.concat([...shown, whole.subarray(from, Math.max(from, end))])
}
