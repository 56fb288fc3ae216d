import type { Observation } from '../../protocols/canonical/observation.ts'
import { parseJsonObject } from '../../protocols/json.ts'
import type {
  AnswerObserver,
  Frame,
  FrameSplitter,
  Frames,
  JsonObject,
} from '../../protocols/protocol.ts'
import { heldBytesLimit } from '../../protocols/splitter.ts'
import { GatewayError } from '../errors.ts'
import type { StreamTranslator } from '../translate/translation.ts'

const encoder = new TextEncoder()

/** The observer's state before one of the frames. */
interface Mark {
  readonly start: number
  readonly known: Observation
}

interface TapParts {
  readonly splitter: FrameSplitter
  readonly observer: AnswerObserver
  readonly hideUsage: boolean
  /** Text, in bytes, beyond which a cut may be needed. */
  readonly limit: () => number
  readonly translator: StreamTranslator | undefined
}

/** Passes whole frames, or their translation, to the client while the observer watches them. */
export class Tap {
  readonly #parts: TapParts
  readonly #seen: Observation
  #last = none
  /** The frames of `last` from `firstNear` on, the index of the first one near the limit. */
  #marks: Mark[] = []
  #firstNear = 0
  #hidden: Frame[] = []
  #parsed: (JsonObject | undefined)[] = []

  constructor(parts: TapParts) {
    this.#parts = parts
    this.#seen = parts.observer.seen
  }

  /** Observes what came, without passing it on. */
  observe(chunk: Uint8Array): void {
    this.#watch(this.#parts.splitter.push(chunk))
  }

  /** The observed bytes for the client; throws the `GatewayError` of an untranslatable frame. */
  take(): Uint8Array {
    return this.#taken(this.#last.frames.length, this.#last.whole.byteLength)
  }

  /** The upstream has ended: the rest of an unfinished frame. */
  end(): Uint8Array {
    const { splitter, observer, translator } = this.#parts
    const isWithinFrame = splitter.isWithinFrame()
    this.#watch(splitter.end())
    const rest = this.take()
    if (translator !== undefined) {
      // A whole answer is closed even if its own last event is missing.
      const isWhole = this.#seen.outcome !== undefined && this.#seen.phase !== 'open'
      return isWhole ? Buffer.concat([rest, encoder.encode(translator.end())]) : rest
    }
    const missing = observer.missingEnd?.() ?? ''
    return missing === '' ? rest : withEnd(rest, this.#last.frames, isWithinFrame, missing)
  }

  /** The last bytes end within a frame that is too long to wait for. */
  isWithinFrame(): boolean {
    return this.#parts.splitter.isWithinFrame()
  }

  /** Releases what was observed last: the client may be slow to read its translation. */
  release(): void {
    this.#last = none
    this.#firstNear = 0
    if (this.#marks.length > 0) this.#marks = []
    if (this.#hidden.length > 0) this.#hidden = []
    if (this.#parsed.length > 0) this.#parsed = []
  }

  /** The frames observed last, where one of them came near the limit; else 0. */
  frameCount(): number {
    return this.#marks.length === 0 ? 0 : this.#last.frames.length
  }

  /** Everything before this frame is surely paid. */
  firstNear(): number {
    return this.#firstNear
  }

  /** The observation before one of these frames, `firstNear` or later. */
  before(frame: number): Observation {
    const { known } = this.#marks[frame - this.#firstNear] ?? {}
    if (known === undefined) return this.#seen
    const { text } = known
    return { ...known, text: { ...text, sample: this.#seen.text.sample.slice(0, text.length) } }
  }

  /** Instead of `take`: drops the frame and all that follow; `forgets`: in the observer, too. */
  cutBefore(frame: number, forgets: boolean = true): Uint8Array {
    const { start } = this.#marks[frame - this.#firstNear] ?? {}
    if (start === undefined) return this.take()
    if (forgets) Object.assign(this.#seen, this.before(frame))
    return this.#taken(frame, start)
  }

  #watch(came: Frames): void {
    const { observer, hideUsage, limit, translator } = this.#parts
    this.release()
    this.#last = came
    const limitBytes = limit()
    for (const frame of came.frames) {
      // A frame has no more text than bytes: far from the limit no cut can be needed.
      const isFar = this.#seen.text.bytes + frame.end - frame.start <= limitBytes
      if (isFar && this.#marks.length === 0) this.#firstNear++
      else this.#marks.push(markOf(frame.start, this.#seen, this.#marks.at(-1)))
      const json = translator && parseJsonObject(frame.data)
      if (translator) this.#parsed.push(json)
      const role = observer.push(frame.data, frame.event, json)
      if (hideUsage && role !== 'pass') this.#hidden.push(frame)
    }
  }

  /** The first frames, and all bytes before `end`; a translator gets no more than these. */
  #taken(frameCount: number, end: number): Uint8Array {
    const { translator } = this.#parts
    const { whole, frames } = this.#last
    if (translator === undefined) return without(whole, this.#hidden, end)
    if (frames.length === 0 && whole.byteLength > heldBytesLimit) throw tooLarge()
    let text = ''
    for (const [index, frame] of frames.entries()) {
      if (index === frameCount) break
      text += translator.push(frame, this.#parsed[index])
    }
    return encoder.encode(text)
  }
}

const nothing = new Uint8Array(0)
const none: Frames = { whole: nothing, frames: [] }

/** An untranslated frame of this size passes; it can't be translated. */
const tooLarge = () =>
  new GatewayError('upstream_invalid', 'The upstream sent an event that is too large to translate.')

/** The last bytes and the missing last event; an incomplete frame is left out. */
function withEnd(
  rest: Uint8Array,
  frames: readonly Frame[],
  isWithinFrame: boolean,
  missing: string,
): Uint8Array {
  const isTorn = !isWithinFrame && frames.some(({ data }) => parseJsonObject(data) === undefined)
  const isOpen = isWithinFrame || (rest.byteLength > 0 && !isTorn)
  return Buffer.concat([
    isTorn ? nothing : rest,
    encoder.encode(isOpen ? `\n\n${missing}` : missing),
  ])
}

/** Earlier text is a prefix of later text: it is not copied. */
function markOf(start: number, seen: Observation, last: Mark | undefined): Mark {
  const known = {
    ...seen,
    begun: copyOf(seen.begun, last?.known.begun),
    ended: copyOf(seen.ended, last?.known.ended),
    partIds: copyOf(seen.partIds, last?.known.partIds),
    text: { ...seen.text, sample: '' },
  }
  return { start, known }
}

/** The set only grows: an earlier copy of the same size is equal. */
function copyOf<Value>(set: ReadonlySet<Value>, before: Set<Value> | undefined): Set<Value> {
  return before?.size === set.size ? before : new Set(set)
}

function without(whole: Uint8Array, hidden: readonly Frame[], end: number): Uint8Array {
  if (hidden.length === 0 && end === whole.byteLength) return whole
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
