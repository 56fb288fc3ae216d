export interface AnswerHead {
  readonly status: number
  readonly headers: Headers
}

export class AnswerInvalid extends Error {
  override readonly name = 'AnswerInvalid'
  readonly code = 'ERR_HTTP_ANSWER_INVALID'
}

type State = 'head' | 'counted' | 'unbounded' | 'size' | 'chunk' | 'chunk-end' | 'trailer' | 'done'

/** The longest head, or line between chunks, in bytes. */
const longestHead = 2 * 1_048_576
const mostLines = 256
const lineFeed = 0x0a
const nothing = new Uint8Array(0)

/** `onHead` gets the final head, not interim ones. Source: RFC 9112. */
export function createAnswerParser(onHead: (head: AnswerHead) => void) {
  let state: State = 'head'
  let held = ''
  let left = 0
  let isKept = false
  const lines: string[] = []
  let headLength = 0

  /** Takes a line, without its end; undefined: it continues in the next bytes. */
  function lineAt(chunk: Buffer, at: number): { text: string; next: number } | undefined {
    const end = chunk.indexOf(lineFeed, at)
    const text = held + chunk.toString('latin1', at, end < 0 ? chunk.byteLength : end)
    if (text.length > longestHead) throw new AnswerInvalid('a head or a line is too long')
    // A peer of another protocol may never end its line.
    if (state === 'head' && lines.length === 0 && !mayBegin(text.trimStart())) throw notHttp()
    held = end < 0 ? text : ''
    if (end < 0) return undefined
    return { text: text.endsWith('\r') ? text.slice(0, -1) : text, next: end + 1 }
  }

  function headLine(text: string): void {
    headLength += text.length
    if (headLength > longestHead || lines.length > mostLines)
      throw new AnswerInvalid('a head is too long')
    if (text !== '') {
      if (/^[ \t]/.test(text) && lines.length > 1) lines.push(`${lines.pop()} ${text.trim()}`)
      else lines.push(text)
      return
    }
    // Some servers write an extra line behind a body.
    if (lines.length === 0) return
    const { head, version } = readHead(lines)
    lines.length = 0
    headLength = 0
    if (head.status >= 100 && head.status < 200 && head.status !== 101) return
    begin(head, version)
    onHead(head)
  }

  function begin({ status, headers }: AnswerHead, version: string): void {
    const connection = headers.get('connection')?.toLowerCase() ?? ''
    isKept = version === '1.0' ? /\bkeep-alive\b/.test(connection) : !/\bclose\b/.test(connection)
    const length = headers.get('content-length')
    if (status === 204 || status === 304) state = 'done'
    else if (/\bchunked\b/i.test(headers.get('transfer-encoding') ?? '')) state = 'size'
    else if (length === null) state = 'unbounded'
    else {
      // A repeated length must be the same.
      const [first = '', ...others] = length.split(',').map((one) => one.trim())
      if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first))
        throw new AnswerInvalid(`content-length is no number: ${length.slice(0, 40)}`)
      left = Number(first)
      state = left === 0 ? 'done' : 'counted'
    }
    if (state === 'unbounded') isKept = false
  }

  function bodyLine(text: string): void {
    if (state === 'trailer') {
      if (text === '') state = 'done'
      return
    }
    if (state === 'chunk-end') {
      if (text !== '') throw new AnswerInvalid('a chunk is longer than it says')
      state = 'size'
      return
    }
    const size = /^\s*([0-9a-f]{1,13})\s*(?:;|$)/i.exec(text)?.[1]
    if (size === undefined) throw new AnswerInvalid('a chunk does not begin with its size')
    left = Number.parseInt(size, 16)
    state = left === 0 ? 'trailer' : 'chunk'
  }

  function take(at: number, length: number): number {
    if (state === 'unbounded') return length
    const end = Math.min(length, at + left)
    left -= end - at
    if (left === 0) state = state === 'chunk' ? 'chunk-end' : 'done'
    return end
  }

  return {
    /** The bytes of the body among these; it writes into them. Throws `AnswerInvalid`. */
    push(chunk: Buffer): Uint8Array {
      const { byteLength } = chunk
      let at = 0
      // Body bytes are moved together where chunks have lines between them.
      let start = 0
      let end = 0
      while (at < byteLength && state !== 'done') {
        if (state === 'counted' || state === 'unbounded' || state === 'chunk') {
          const until = take(at, byteLength)
          if (start === end) start = end = at
          if (end !== at) chunk.copyWithin(end, at, until)
          end += until - at
          at = until
          continue
        }
        const line = lineAt(chunk, at)
        if (line === undefined) break
        at = line.next
        if (state === 'head') headLine(line.text)
        else bodyLine(line.text)
      }
      if (state === 'done' && at < byteLength) isKept = false
      return start === end ? nothing : chunk.subarray(start, end)
    },
    /** The connection has closed; false: the answer is incomplete. */
    end(): boolean {
      if (state === 'unbounded') state = 'done'
      isKept = false
      return state === 'done'
    },
    isDone: (): boolean => state === 'done',
    /** Done, and the connection can be reused. */
    mayStay: (): boolean => state === 'done' && isKept,
  }
}

const beginning = 'HTTP/1.'
const mayBegin = (text: string) => beginning.startsWith(text.slice(0, beginning.length))
const notHttp = () => new AnswerInvalid('it does not begin as HTTP/1.1 does')

function readHead([first = '', ...fields]: readonly string[]) {
  const found = /^HTTP\/(1\.[01]) (\d{3})(?: |$)/.exec(first)
  if (!found) throw notHttp()
  const headers = new Headers()
  for (const field of fields) {
    const colon = field.indexOf(':')
    try {
      headers.append(field.slice(0, colon).trim(), field.slice(colon + 1).trim())
    } catch {
      // An invalid header line is ignored.
    }
  }
  return { head: { status: Number(found[2]), headers }, version: found[1] ?? '' }
}
