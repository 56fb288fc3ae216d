import { createHeldBytes, heldBytesLimit } from './held-bytes.ts'
import type { Frame, FrameSplitter, Frames } from './protocol.ts'

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
    const frames: Frame[] = []
    const textOf = ends.length === 0 ? undefined : createText(whole)
    let start = prefix
    for (const end of ends) {
      if (unframed) unframed = false
      else if (textOf !== undefined) pushFrame(frames, textOf(start, end), start, end)
      start = end
    }
    return frames
  }

  function pushFrame(frames: Frame[], text: string, start: number, end: number): void {
    const frame = readFrame(atStart && text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text)
    atStart = false
    if (frame !== undefined) frames.push({ event: frame.event, data: frame.data, start, end })
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

/**
 * The text between two places of `whole`, which lie behind line ends. One call of the decoder costs
 * as much as many events: where each byte is a character, all are decoded in one.
 */
function createText(whole: Uint8Array): (start: number, end: number) => string {
  const text = decoder.decode(whole)
  // No character has more units than bytes: the same number of both is one each.
  if (text.length === whole.length) return (start, end) => text.slice(start, end)
  return (start, end) =>
    start === 0 && end === whole.length ? text : decoder.decode(whole.subarray(start, end))
}

/** The event and data of one frame's text, or undefined when it has no data line. */
function readFrame(text: string): { event: string; data: string } | undefined {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  let event = ''
  let data: string | undefined
  let at = 0
  while (at < lines.length) {
    const newline = lines.indexOf('\n', at)
    const stop = newline === -1 ? lines.length : newline
    if (lines.startsWith('data', at)) {
      const value = fieldValue(lines, at + 4, stop)
      if (value !== undefined) data = data === undefined ? value : `${data}\n${value}`
    } else if (lines.startsWith('event', at)) {
      event = fieldValue(lines, at + 5, stop) ?? event
    }
    at = stop + 1
  }
  return data === undefined ? undefined : { event, data }
}

/** What follows a field's name: undefined when the name goes on, '' when the line ends. */
function fieldValue(lines: string, colon: number, stop: number): string | undefined {
  if (colon >= stop) return ''
  if (lines.charCodeAt(colon) !== 0x3a) return undefined
  const start = lines.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1
  return lines.slice(Math.min(start, stop), stop)
}
