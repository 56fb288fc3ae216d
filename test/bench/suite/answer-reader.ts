/** Follows one answer of HTTP/1.1 as bytes, as cheaply as it can. */
export interface AnswerReader {
  /** Takes what came; true when the answer is whole with it. */
  push(bytes: Uint8Array): boolean
  /** Events so far: ends of them, `\n\n`. */
  events(): number
  status(): number
  /** Ready for the next answer of the connection. */
  clear(): void
}

const headEnd = Buffer.from('\r\n\r\n')
const eventEnd = Buffer.from('\n\n')
const lineEnd = 10
const lastChunk = Buffer.from('0\r\n\r\n')

/**
 * An answer is whole with all bytes of its length, or with its last chunk. An event's end that is
 * cut in two by a chunk's end is not counted: that happens to one in thousands at most.
 */
export function createAnswerReader(): AnswerReader {
  let head = ''
  let status = 0
  /** Bytes that are still to come; undefined: the body comes in chunks. */
  let left: number | undefined
  let events = 0
  /** Whether the last piece ended with the first byte of what may be an event's end. */
  let endsInside = false
  let tail = Buffer.alloc(0)

  function readHead(bytes: Buffer): Buffer | undefined {
    const before = head.length
    head += bytes.toString('latin1')
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    status = Number(head.slice(9, 12))
    const length = /^content-length: *(\d+)/im.exec(head.slice(0, end + 2))?.[1]
    left = length === undefined ? undefined : Number(length)
    return bytes.subarray(end + headEnd.length - before)
  }

  function isWhole(body: Buffer): boolean {
    if (left !== undefined) {
      left -= body.length
      return left <= 0
    }
    const seen = body.length >= lastChunk.length ? body : Buffer.concat([tail, body])
    tail = Buffer.from(seen.subarray(-lastChunk.length))
    return tail.equals(lastChunk)
  }

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      const body = status === 0 ? readHead(bytes) : bytes
      if (body === undefined) return false
      if (endsInside && body[0] === lineEnd) events++
      endsInside = body.at(-1) === lineEnd && body.at(-2) !== lineEnd
      for (let at = body.indexOf(eventEnd); at >= 0; at = body.indexOf(eventEnd, at + 2)) events++
      return isWhole(body)
    },
    events: () => events,
    status: () => status,
    clear() {
      head = ''
      status = 0
      left = undefined
      events = 0
      endsInside = false
      tail = Buffer.alloc(0)
    },
  }
}
