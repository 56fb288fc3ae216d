/** The part of `Headers` used here. */
export interface AnswerHeaders {
  get(name: string): string | null
  has(name: string): boolean
  forEach(each: (value: string, name: string) => void): void
}

export interface AnswerHead {
  readonly status: number
  readonly headers: AnswerHeaders
}

export class AnswerInvalid extends Error {
  override readonly name = 'AnswerInvalid'
  readonly code = 'ERR_HTTP_ANSWER_INVALID'
}

type State = 'head' | 'counted' | 'unbounded' | 'size' | 'chunk' | 'chunk-end' | 'trailer' | 'done'

/** The longest head, or line between chunks, in bytes. */
const longestHead = 2 * 1_048_576
/** Lines of a longer head are counted, in bytes: each costs its reader some work. */
const longHead = 16_384
const mostLines = 256
const lineFeed = 0x0a
const nothing = new Uint8Array(0)

export interface HeadListener {
  headCame(head: AnswerHead): void
}

/** Reads one answer. Its listener gets the final head, not interim ones. Source: RFC 9112. */
export class AnswerParser {
  #state: State = 'head'
  /** The beginning of a head or line whose end has not come. */
  #held = ''
  /** Pieces of the head with a line end so far. */
  #pieces = 0
  #left = 0
  #isKept = false
  readonly #listener: HeadListener

  constructor(listener: HeadListener) {
    this.#listener = listener
  }

  /** The bytes of the body among these; it writes into them. Throws `AnswerInvalid`. */
  push(chunk: Buffer): Uint8Array {
    const { byteLength } = chunk
    let at = 0
    // Body bytes are moved together where chunks have lines between them.
    let start = 0
    let end = 0
    while (at < byteLength && this.#state !== 'done') {
      const state = this.#state
      if (state === 'counted' || state === 'unbounded' || state === 'chunk') {
        const until = this.#take(at, byteLength)
        if (start === end) start = end = at
        if (end !== at) chunk.copyWithin(end, at, until)
        end += until - at
        at = until
      } else at = state === 'head' ? this.#readHead(chunk, at) : this.#readLine(chunk, at)
    }
    if (this.#state === 'done' && at < byteLength) this.#isKept = false
    return start === end ? nothing : chunk.subarray(start, end)
  }

  /** The connection has closed; false: the answer is incomplete. */
  end(): boolean {
    if (this.#state === 'unbounded') this.#state = 'done'
    this.#isKept = false
    return this.isDone
  }

  get isDone(): boolean {
    return this.#state === 'done'
  }

  /** Done, and the connection can be reused. */
  get mayStay(): boolean {
    return this.isDone && this.#isKept
  }

  #readHead(chunk: Buffer, at: number): number {
    const before = this.#held.length
    const text = this.#held + chunk.toString('latin1', at)
    // All that is held is looked at again with each line at most, not with each piece.
    if (before > 0 && before < longestHead && chunk.indexOf(lineFeed, at) < 0) {
      this.#held = text
      return chunk.byteLength
    }
    if (++this.#pieces > mostLines) throw new AnswerInvalid('a head has too many lines')
    // Some servers write an extra line behind a body.
    const start = text.length - text.trimStart().length
    // A peer of another protocol may never end its line.
    if (!mayBegin(text.slice(start, start + beginning.length))) throw notHttp()
    headEnd.lastIndex = Math.max(start, before - 3)
    const end = headEnd.exec(text)
    if ((end?.index ?? text.length) - start > longestHead)
      throw new AnswerInvalid('a head is too long')
    if (end === null) {
      this.#held = text
      return chunk.byteLength
    }
    this.#held = ''
    this.#pieces = 0
    const { head, version } = parseHead(text.slice(start, end.index))
    if (head.status < 100 || head.status >= 200 || head.status === 101) {
      this.#begin(head, version)
      this.#listener.headCame(head)
    }
    return at + headEnd.lastIndex - before
  }

  #begin({ status, headers }: AnswerHead, version: string): void {
    const connection = headers.get('connection') ?? ''
    this.#isKept =
      version === '1.0' ? /\bkeep-alive\b/i.test(connection) : !/\bclose\b/i.test(connection)
    const length = headers.get('content-length')
    if (status === 204 || status === 304) this.#state = 'done'
    else if (/\bchunked\b/i.test(headers.get('transfer-encoding') ?? '')) this.#state = 'size'
    else if (length === null) {
      this.#state = 'unbounded'
      this.#isKept = false
    } else {
      this.#left = bytesOf(length)
      this.#state = this.#left === 0 ? 'done' : 'counted'
    }
  }

  #readLine(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(lineFeed, at)
    const text = this.#held + chunk.toString('latin1', at, end < 0 ? chunk.byteLength : end)
    if (text.length > longestHead) throw new AnswerInvalid('a line is too long')
    this.#held = end < 0 ? text : ''
    if (end < 0) return chunk.byteLength
    this.#takeLine(text.endsWith('\r') ? text.slice(0, -1) : text)
    return end + 1
  }

  #takeLine(text: string): void {
    if (this.#state === 'trailer') {
      if (text === '') this.#state = 'done'
      return
    }
    if (this.#state === 'chunk-end') {
      if (text !== '') throw new AnswerInvalid('a chunk is longer than it says')
      this.#state = 'size'
      return
    }
    const size = /^\s*([0-9a-f]{1,13})\s*(?:;|$)/i.exec(text)?.[1]
    if (size === undefined) throw new AnswerInvalid('a chunk does not begin with its size')
    this.#left = Number.parseInt(size, 16)
    this.#state = this.#left === 0 ? 'trailer' : 'chunk'
  }

  #take(at: number, length: number): number {
    if (this.#state === 'unbounded') return length
    const end = Math.min(length, at + this.#left)
    this.#left -= end - at
    if (this.#left === 0) this.#state = this.#state === 'chunk' ? 'chunk-end' : 'done'
    return end
  }
}

const beginning = 'HTTP/1.'
const mayBegin = (text: string) => beginning.startsWith(text)
const notHttp = () => new AnswerInvalid('it does not begin as HTTP/1.1 does')

const headEnd = /\r?\n\r?\n/g
const statusLine = /^HTTP\/(1\.[01]) (\d{3})(?: |\r?$)/m
/** A line that begins with a space continues the one before it. */
const fold = /\r?\n[ \t]+/g
const fieldLine = /\n([!#$%&'*+.^_`|~\w-]+):/g
const isValue = /^[\t\x20-\x7e\x80-\xff]*$/

function parseHead(text: string) {
  const found = statusLine.exec(text)
  if (!found) throw notHttp()
  if (text.length > longHead && text.split('\n').length > mostLines)
    throw new AnswerInvalid('a head has too many lines')
  return { head: { status: Number(found[2]), headers: new Fields(text) }, version: found[1] ?? '' }
}

/** The fields of a head, which are found when they are asked for: few are. Invalid ones are ignored. */
class Fields implements AnswerHeaders {
  readonly #text: string
  /** Where its lines begin; the first one is the status line. */
  readonly #lines: number[] = []

  constructor(head: string) {
    const isFolded = head.includes('\n ') || head.includes('\n\t')
    const text = isFolded ? head.replace(fold, ' ') : head
    this.#text = text
    for (let at = 0; at > 0 || this.#lines.length === 0; at = text.indexOf('\n', at) + 1)
      this.#lines.push(at)
  }

  /** `name` is in lower case. Of a repeated field all values, joined. */
  get(name: string): string | null {
    const [text, lines] = [this.#text, this.#lines]
    let value: string | null = null
    for (let line = 1; line < lines.length; line++) {
      const start = lines[line] ?? 0
      if (text.charCodeAt(start + name.length) !== colon || !isNamed(text, start, name)) continue
      const found = text.slice(start + name.length + 1, lines[line + 1]).trim()
      if (isValue.test(found)) value = value === null ? found : `${value}, ${found}`
    }
    return value
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  forEach(each: (value: string, name: string) => void): void {
    const names = this.#text.toLowerCase().matchAll(fieldLine)
    for (const name of new Set(Array.from(names, ([, found = '']) => found))) {
      const value = this.get(name)
      if (value !== null) each(value, name)
    }
  }
}

const colon = 0x3a

/** Whether the text has this name, which is in lower case, from a place on; in any case. */
function isNamed(text: string, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = text.charCodeAt(start + at)
    const lower = code >= 0x41 && code <= 0x5a ? code + 0x20 : code
    if (lower !== name.charCodeAt(at)) return false
  }
  return true
}

const isCount = /^\d{1,15}$/

/** A content length; a repeated one must be the same. */
function bytesOf(length: string): number {
  if (isCount.test(length)) return Number(length)
  const [first = '', ...others] = length.split(',').map((one) => one.trim())
  if (isCount.test(first) && others.every((other) => other === first)) return Number(first)
  throw new AnswerInvalid(`content-length is no number: ${length.slice(0, 40)}`)
}
