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

export type Tap = ReturnType<typeof createTap>

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
export function createTap(parts: TapParts) {
  const { splitter, observer, hideUsage, limit, translator } = parts
  const { seen } = observer
  /** The frames of `last` from `firstNear` on, the index of the first one near the limit. */
  let marks: Mark[] = []
  let firstNear = 0
  let hidden: Frame[] = []
  let last = none
  let parsed: (JsonObject | undefined)[] = []

  function release(): void {
    last = none
    firstNear = 0
    if (marks.length > 0) marks = []
    if (hidden.length > 0) hidden = []
    if (parsed.length > 0) parsed = []
  }

  const watch = (came: Frames): void => {
    release()
    last = came
    const limitBytes = limit()
    for (const frame of came.frames) {
      // A frame has no more text than bytes: far from the limit no cut can be needed.
      const isFar = seen.text.bytes + frame.end - frame.start <= limitBytes
      if (isFar && marks.length === 0) firstNear++
      else marks.push(markOf(frame.start, seen, marks.at(-1)))
      const json = translator && parseJsonObject(frame.data)
      if (translator) parsed.push(json)
      const role = observer.push(frame.data, frame.event, json)
      if (hideUsage && role !== 'pass') hidden.push(frame)
    }
  }

  /** The first frames, and all bytes before `end`; a translator gets no more than these. */
  const taken = (frameCount: number, end: number): Uint8Array => {
    const { whole, frames } = last
    if (translator === undefined) return without(whole, hidden, end)
    if (frames.length === 0 && whole.byteLength > heldBytesLimit) throw tooLarge()
    let text = ''
    for (const [index, frame] of frames.entries()) {
      if (index === frameCount) break
      text += translator.push(frame, parsed[index])
    }
    return encoder.encode(text)
  }

  const take = () => taken(last.frames.length, last.whole.byteLength)

  /** Closes a translated answer whose own last event may be missing. */
  const close = (): Uint8Array => {
    const isWhole = seen.outcome !== undefined && seen.phase !== 'open'
    return encoder.encode(isWhole ? translator?.end() : '')
  }

  const before = (frame: number): Observation => {
    const { known } = marks[frame - firstNear] ?? {}
    if (known === undefined) return seen
    const { text } = known
    return { ...known, text: { ...text, sample: seen.text.sample.slice(0, text.length) } }
  }

  return {
    /** Observes what came, without passing it on. */
    observe: (chunk: Uint8Array): void => watch(splitter.push(chunk)),
    /** The observed bytes for the client; throws the `GatewayError` of an untranslatable frame. */
    take,
    push(chunk: Uint8Array): Uint8Array {
      watch(splitter.push(chunk))
      return take()
    },
    /** The upstream has ended: the rest of an unfinished frame. */
    end(): Uint8Array {
      const isWithinFrame = splitter.isWithinFrame()
      watch(splitter.end())
      if (translator !== undefined) return Buffer.concat([take(), close()])
      const missing = observer.missingEnd?.() ?? ''
      return missing === '' ? take() : withEnd(take(), last.frames, isWithinFrame, missing)
    },
    /** The last bytes end within a frame that is too long to wait for. */
    isWithinFrame: (): boolean => splitter.isWithinFrame(),
    /** Releases what was observed last: the client may be slow to read its translation. */
    release,
    /** The frames observed last, where one of them came near the limit; else 0. */
    frameCount: (): number => (marks.length === 0 ? 0 : last.frames.length),
    firstNear: (): number => firstNear,
    before,
    /** Instead of `take`: drops the frame and all that follow; `forgets`: in the observer, too. */
    cutBefore(frame: number, forgets: boolean = true): Uint8Array {
      const { start } = marks[frame - firstNear] ?? {}
      if (start === undefined) return take()
      if (forgets) Object.assign(seen, before(frame))
      return taken(frame, start)
    },
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
