import type { ClientStream, Frame, FrameSplitter, Frames, HeartbeatPlace } from './protocol.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d
const nothing = new Uint8Array(0)

/**
 * Cuts server-sent events out of a byte stream, by the rules of the HTML standard: lines end in
 * LF, CRLF or CR, an empty line ends an event. Comments and events without data stay in `whole`
 * but give no frame. A frame above `limit` waiting bytes passes on without being framed.
 */
export function createSseSplitter(limit: number = heldBytesLimit): FrameSplitter {
  const held = createHeldBytes()
  // Bytes of the stream are scanned once; these three carry the scan over from chunk to chunk.
  let lineEmpty = true
  let afterReturn = false
  let returnEndedFrame = false
  let unframed = false
  let atStart = true

  /** Positions in `chunk` behind each frame's end. The LF of a CRLF belongs to its frame. */
  function findEnds(chunk: Uint8Array): Ends {
    return afterReturn || chunk.includes(carriageReturn) ? findAllEnds(chunk) : findLfEnds(chunk)
  }

  /** The same for lines that end in LF, as those of most upstreams do: a native search is faster. */
  function findLfEnds(chunk: Uint8Array): Ends {
    const ends: number[] = []
    let line = lineEmpty ? 0 : -1
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, line)) {
      if (at === line) ends.push(at + 1)
      line = at + 1
    }
    lineEmpty = line === chunk.length
    return { ends, prefix: 0 }
  }

  function findAllEnds(chunk: Uint8Array): Ends {
    const ends: number[] = []
    let prefix = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte !== lineFeed && byte !== carriageReturn) {
        lineEmpty = false
        afterReturn = false
        continue
      }
      if (byte === lineFeed && afterReturn) {
        afterReturn = false
        // The frame went out at its CR: the LF is added to it, or follows it alone.
        if (returnEndedFrame && ends.length > 0) ends[ends.length - 1] = at + 1
        else if (returnEndedFrame) prefix = at + 1
        continue
      }
      afterReturn = byte === carriageReturn
      returnEndedFrame = afterReturn && lineEmpty
      if (lineEmpty) ends.push(at + 1)
      lineEmpty = true
    }
    return { ends, prefix }
  }

  function readFrames(whole: Uint8Array, ends: readonly number[], prefix: number): Frame[] {
    if (ends.length === 0) return []
    const text = decoder.decode(whole)
    // Ends of lines are the same in text and bytes; only what lies between them can differ in length.
    const hasMark = atStart && text.charCodeAt(0) === byteOrderMark
    return hasMark || unframed || text.includes('\r')
      ? readApart(createText(whole, text), ends, prefix)
      : readInOne(text, ends, prefix)
  }

  /** The frames of a text whose lines end in LF, in one go. */
  function readInOne(text: string, ends: readonly number[], prefix: number): Frame[] {
    const frames: Frame[] = []
    let start = prefix
    let at = prefix
    for (const end of ends) {
      const frame: Draft = { event: '', data: undefined, start, end }
      at = readFrame(frame, text, at)
      if (isFrame(frame)) frames.push(frame)
      start = end
    }
    atStart = false
    return frames
  }

  /** Those of any other text, each by itself. */
  function readApart(textOf: TextOf, ends: readonly number[], prefix: number): Frame[] {
    const frames: Frame[] = []
    let start = prefix
    for (const end of ends) {
      if (unframed) unframed = false
      else {
        const text = textOf(start, end).replace(/\r\n?/g, '\n')
        const frame: Draft = { event: '', data: undefined, start, end }
        // A line of nothing but the mark is no empty one.
        readFrame(frame, atStart ? text.replace(/^\uFEFF\n?/, '') : text, 0)
        atStart = false
        if (isFrame(frame)) frames.push(frame)
      }
      start = end
    }
    return frames
  }

  return {
    isWithinFrame: () => unframed,
    push(chunk): Frames {
      const waiting = held.length
      const { ends, prefix } = findEnds(chunk)
      const cut = ends.at(-1) ?? prefix
      const tooLong = (cut === 0 ? waiting + chunk.length : chunk.length - cut) > limit
      if (cut === 0 && !tooLong && !unframed) {
        held.add(chunk)
        return { whole: nothing, frames: [] }
      }
      // The rest of a frame that has already passed unframed passes too, up to its end.
      const all = tooLong || (unframed && ends.length === 0) || cut === chunk.length
      const whole = held.take(all ? chunk : chunk.subarray(0, cut))
      const shifted = waiting === 0 ? ends : ends.map((end) => end + waiting)
      const frames = readFrames(whole, shifted, prefix)
      if (tooLong) unframed = true
      if (!all) held.add(chunk.subarray(cut))
      return { whole, frames }
    },
    end(): Frames {
      const whole = held.take(nothing)
      return { whole, frames: whole.length === 0 ? [] : readFrames(whole, [whole.length], 0) }
    },
  }
}

interface Ends {
  readonly ends: number[]
  readonly prefix: number
}

const byteOrderMark = 0xfeff
// `ignoreBOM` keeps a mark in the text: only the one at the stream's very start is to be dropped.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

type TextOf = (start: number, end: number) => string

/** The text between two places of `whole`, which lie behind line ends; `text` is that of all of it. */
function createText(whole: Uint8Array, text: string): TextOf {
  // No character has more units than bytes: the same number of both is one each.
  if (text.length === whole.length) return (start, end) => text.slice(start, end)
  return (start, end) => decoder.decode(whole.subarray(start, end))
}

/** A frame while it is read. */
type Draft = { event: string; data: string | undefined } & Pick<Frame, 'start' | 'end'>

/** A frame without data is none. */
const isFrame = (frame: Draft): frame is Draft & Frame => frame.data !== undefined

/** Reads lines into `frame`, up to an empty one or the end of the text; returns where the next begins. */
function readFrame(frame: Draft, text: string, from: number): number {
  let at = from
  while (at < text.length) {
    const newline = text.indexOf('\n', at)
    const stop = newline === -1 ? text.length : newline
    if (stop === at) return at + 1
    readLine(frame, text, at, stop)
    at = stop + 1
  }
  return at
}

function readLine(frame: Draft, text: string, at: number, stop: number): void {
  if (text.startsWith('data', at)) {
    const value = fieldValue(text, at + 4, stop)
    if (value !== undefined) {
      frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`
    }
  } else if (text.startsWith('event', at)) {
    frame.event = fieldValue(text, at + 5, stop) ?? frame.event
  }
}

/** What follows a field's name: undefined when the name goes on, '' when the line ends. */
function fieldValue(text: string, colon: number, stop: number): string | undefined {
  if (colon >= stop) return ''
  if (text.charCodeAt(colon) !== 0x3a) return undefined
  const start = text.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1
  return text.slice(Math.min(start, stop), stop)
}

/** More bytes than this are not held back for one frame: they pass on without being framed. */
export const heldBytesLimit = 32 * 1024 * 1024

const smallest = 4096

/**
 * Bytes that wait for the rest of their frame, copied into one growing buffer, so that a frame
 * that comes in thousands of pieces costs time and memory in proportion to its size.
 */
interface HeldBytes {
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

/**
 * A comment of an event stream. openai-go up to 2 takes the empty line behind one for an event without
 * data, and fails: it gets none, for the next event ends the comment as well.
 */
export function encodeComment(text: string, { library }: Pick<ClientStream, 'library'>): string {
  return `: ${text}\n${library.includes('OpenAI/Go ') ? '' : '\n'}`
}

/** The heartbeat of OpenAI's protocols, which have no event for silence. */
export function commentHeartbeat(stream: ClientStream, { note }: HeartbeatPlace): string {
  return encodeComment(note ?? 'keep-alive', stream)
}
