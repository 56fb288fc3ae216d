import type { ClientStream, Frame, HeartbeatPlace } from './protocol.ts'
import { Splitter } from './splitter.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Splits a byte stream into server-sent events. */
export const createSseSplitter = (limit?: number): Splitter => new SseSplitter(limit)

/** By the rules of the HTML standard. Comments and events without data stay in the bytes but give no frame. */
class SseSplitter extends Splitter {
  #isLineEmpty = true
  #isAfterReturn = false
  #hasReturnEndedFrame = false
  /** Bytes at the chunk's beginning that belong to the previous frame. */
  #prefix = 0
  #isAtStart = true

  /** The LF of a CRLF belongs to its frame. */
  protected override findEnds(chunk: Uint8Array) {
    this.#prefix = 0
    const hasReturn = this.#isAfterReturn || chunk.includes(carriageReturn)
    const ends = hasReturn ? this.#findAllEnds(chunk) : this.#findLfEnds(chunk)
    return { ends, cut: ends.at(-1) ?? this.#prefix }
  }

  /** For lines that end in LF, as with most upstreams: native search is faster. */
  #findLfEnds(chunk: Uint8Array): number[] {
    const ends: number[] = []
    let line = this.#isLineEmpty ? 0 : -1
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, line)) {
      if (at === line) ends.push(at + 1)
      line = at + 1
    }
    this.#isLineEmpty = line === chunk.length
    return ends
  }

  #findAllEnds(chunk: Uint8Array): number[] {
    const ends: number[] = []
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte !== lineFeed && byte !== carriageReturn) {
        this.#isLineEmpty = false
        this.#isAfterReturn = false
        continue
      }
      if (byte === lineFeed && this.#isAfterReturn) {
        this.#isAfterReturn = false
        // The frame passed with its CR: the LF joins the next frame, or follows alone.
        if (this.#hasReturnEndedFrame && ends.length > 0) ends[ends.length - 1] = at + 1
        else if (this.#hasReturnEndedFrame) this.#prefix = at + 1
        continue
      }
      this.#isAfterReturn = byte === carriageReturn
      this.#hasReturnEndedFrame = this.#isAfterReturn && this.#isLineEmpty
      if (this.#isLineEmpty) ends.push(at + 1)
      this.#isLineEmpty = true
    }
    return ends
  }

  protected override readRest(whole: Uint8Array): Frame[] {
    this.#prefix = 0
    return this.readFrames(whole, [whole.length])
  }

  protected override readFrames(whole: Uint8Array, ends: readonly number[]): Frame[] {
    if (ends.length === 0) return []
    const text = decoder.decode(whole)
    // Line ends take the same length in text and bytes; only the content can differ.
    const hasMark = this.#isAtStart && text.charCodeAt(0) === byteOrderMark
    if (hasMark || this.isUnframed || text.includes('\r')) {
      return this.#readApart(whole, text, ends)
    }
    this.#isAtStart = false
    const frames: Frame[] = []
    let start = this.#prefix
    let at = start
    for (const end of ends) {
      const frame: Draft = { event: '', data: undefined, start, end }
      at = readFrame(frame, text, at)
      if (isFrame(frame)) frames.push(frame)
      start = end
    }
    return frames
  }

  /** Decodes each frame alone, for other line ends than LF, or a byte order mark. */
  #readApart(whole: Uint8Array, text: string, ends: readonly number[]): Frame[] {
    const frames: Frame[] = []
    // No character has more UTF-16 units than bytes: equal counts mean one each.
    const isPlain = text.length === whole.length
    let start = this.#prefix
    for (const end of ends) {
      if (this.isUnframed) this.isUnframed = false
      else {
        const part = isPlain ? text.slice(start, end) : decoder.decode(whole.subarray(start, end))
        const lines = part.replace(/\r\n?/g, '\n')
        const frame: Draft = { event: '', data: undefined, start, end }
        // A line of only the mark is no empty line.
        readFrame(frame, this.#isAtStart ? lines.replace(/^\uFEFF\n?/, '') : lines, 0)
        this.#isAtStart = false
        if (isFrame(frame)) frames.push(frame)
      }
      start = end
    }
    return frames
  }
}

const byteOrderMark = 0xfeff
// `ignoreBOM` keeps the mark in the text: only one at the stream's start is dropped.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

type Draft = { event: string; data: string | undefined } & Pick<Frame, 'start' | 'end'>

const isFrame = (frame: Draft): frame is Draft & Frame => frame.data !== undefined

/** Reads lines into `frame`, up to an empty one or the end; returns the next offset. */
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

/** The value after a field's name: undefined for a longer name, '' at the line's end. */
function fieldValue(text: string, colon: number, stop: number): string | undefined {
  if (colon >= stop) return ''
  if (text.charCodeAt(colon) !== 0x3a) return undefined
  const start = text.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1
  return text.slice(Math.min(start, stop), stop)
}

/** A comment of an event stream. openai-go up to 2 reads an empty line after one as an event, and fails. */
export function encodeComment(text: string, { library }: Pick<ClientStream, 'library'>): string {
  return `: ${text}\n${library.includes('OpenAI/Go ') ? '' : '\n'}`
}

/** The heartbeat of OpenAI's protocols, which have no event for it. */
export function commentHeartbeat(stream: ClientStream, { note }: HeartbeatPlace): string {
  return encodeComment(note ?? 'keep-alive', stream)
}
