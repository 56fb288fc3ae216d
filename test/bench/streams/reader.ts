import { eventBytes, markAt, markCode, numberOf, sentUsOf } from './wire.ts'

/** What becomes of a stream, told to whoever counts. */
export interface ReaderEvents {
  /** An event has come that was sent then; `gapUs` after the last one, undefined for the first. */
  event(sentUs: number, gapUs: number | undefined): void
  /** So many events are missing before this one (negative: it was there already). */
  gap(missing: number): void
}

/** Reads one streamed answer off its socket. */
export interface Reader {
  push(bytes: Uint8Array, nowUs: number): void
  /** The head has come, and with it the first bytes of the stream. */
  hasBegun(): boolean
  /** The status line; empty until it has come. */
  status(): string
  /** The protocol's last words and HTTP's have come. */
  isWhole(): boolean
  /** The client was told of an error inside of the stream. */
  hasError(): boolean
  /** When the last event came, in microseconds. */
  lastUs(): number
}

const lineFeed = 10
const empty = new Uint8Array()
const decoder = new TextDecoder()

/**
 * Undoes the chunks and looks at the events where they lie: nothing is copied as long as chunks and
 * events come whole.
 */
export function createReader(events: ReaderEvents): Reader {
  let head = ''
  let isBody = false
  /** Bytes of the chunk that are still to come, its line end included; 0: a size comes next. */
  let left = 0
  let sizeText = ''
  /** The beginning of an event. */
  let rest: Uint8Array = empty
  let expected: number | undefined
  let lastUs = 0
  let hasDone = false
  let hasEnd = false
  let hasError = false

  function one(bytes: Uint8Array, at: number, nowUs: number): void {
    const number = numberOf(bytes, at)
    if (expected !== undefined && number !== expected) events.gap(number - expected)
    events.event(sentUsOf(bytes, at), expected === undefined ? undefined : nowUs - lastUs)
    expected = number + 1
    lastUs = nowUs
  }

  /** Takes the whole events of some bytes of the body; gives where the last of them ends. */
  function scan(bytes: Uint8Array, from: number, to: number, nowUs: number): number {
    let at = from
    while (at < to) {
      const isUsual = at + eventBytes <= to && bytes[at + markAt] === markCode
      if (isUsual) {
        one(bytes, at + markAt, nowUs)
        at += eventBytes
        continue
      }
      const end = endOfEvent(bytes, at, to)
      if (end < 0) return at
      other(decoder.decode(bytes.subarray(at, end)))
      at = end
    }
    return at
  }

  function other(text: string): void {
    if (text.startsWith('data: [DONE]')) hasDone = true
    if (text.startsWith('data: {"error"')) hasError = true
  }

  function body(bytes: Uint8Array, from: number, to: number, nowUs: number): void {
    if (rest.length === 0) {
      const end = scan(bytes, from, to, nowUs)
      if (end < to) rest = bytes.slice(end, to)
      return
    }
    const joined = Buffer.concat([rest, bytes.subarray(from, to)])
    const end = scan(joined, 0, joined.length, nowUs)
    rest = end === joined.length ? empty : joined.subarray(end)
  }

  function chunks(bytes: Uint8Array, from: number, nowUs: number): void {
    let at = from
    while (at < bytes.length) {
      if (left === 0) {
        const code = bytes[at++] ?? 0
        if (code !== lineFeed) {
          sizeText += String.fromCharCode(code)
          continue
        }
        const size = Number.parseInt(sizeText, 16)
        sizeText = ''
        hasEnd ||= size === 0
        left = size + 2
      }
      // Two bytes of a chunk are its line end.
      const end = Math.min(at + left, bytes.length)
      const dataEnd = Math.min(at + Math.max(left - 2, 0), bytes.length)
      if (dataEnd > at) body(bytes, at, dataEnd, nowUs)
      left -= end - at
      at = end
    }
  }

  return {
    push(bytes, nowUs) {
      if (isBody) return chunks(bytes, 0, nowUs)
      head += Buffer.from(bytes).toString('latin1')
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      isBody = true
      const later = Buffer.from(head.slice(end + 4), 'latin1')
      head = head.slice(0, end)
      chunks(later, 0, nowUs)
    },
    hasBegun: () => isBody,
    status: () => head.slice(0, Math.max(head.indexOf('\r\n'), 0)) || head,
    isWhole: () => hasDone && hasEnd,
    hasError: () => hasError,
    lastUs: () => lastUs,
  }
}

/** Behind the next empty line. */
function endOfEvent(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; ; ) {
    const found = bytes.indexOf(lineFeed, at)
    if (found < 0 || found + 1 >= to) return -1
    if (bytes[found + 1] === lineFeed) return found + 2
    at = found + 1
  }
}
