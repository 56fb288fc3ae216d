import type { Ending } from '../../lib/cancellation.ts'
import {
  type AnswerHead,
  type AnswerHeaders,
  AnswerParser,
  type HeadListener,
} from './answer-parser.ts'
import {
  type Connection,
  type Connections,
  connectionLost,
  type Holder,
  type Peer,
} from './connections.ts'
import { urlParts } from './url-parts.ts'

/** Reads the body of an upstream's answer. */
export interface ByteReader {
  read(): Promise<
    | { readonly done: false; readonly value: Uint8Array }
    | { readonly done: true; readonly value?: Uint8Array | undefined }
  >
  cancel(): Promise<void>
}

/** The part of an upstream's answer used here; `fetch`'s is one, too. */
export interface OutboundAnswer {
  readonly status: number
  readonly ok: boolean
  readonly headers: AnswerHeaders
  readonly body: { getReader(): ByteReader } | null
}

interface HttpRequest extends Peer {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: Uint8Array | undefined
  readonly signal: Ending
  readonly memory: ReaderMemory | undefined
}

export interface ReaderMemory {
  /** Leases memory; true when it is enough for `mostHeldPerReader`. */
  hold(): boolean
  release(): void
  /** There is no lease, or memory is short: reading ahead of a slow client can wait. */
  isShort(): boolean
}

/** An idle connection's end is heard a round trip later; an upstream that ends after this has worked. */
const staleMs = 2_000

/** The most bytes passed on at once: what is made of them waits for a slow reader. */
const mostAtOnce = 16_384

/** The most memory, in bytes, for a client that does not read; half of it where memory is short. */
export const mostHeldPerReader = 262_144

/** Unread bytes of an answer that is not paced: with more, its upstream waits. */
const mostUnread = 1_048_576

type Read = Awaited<ReturnType<ByteReader['read']>>

/**
 * Sends a request over a connection of our own, and resolves with the answer's head. Rejects with the
 * socket's error, `AnswerInvalid`, or the signal's reason. Upstreams close idle connections at any moment: a kept
 * one that ends without a byte of an answer is replaced by a new one, once.
 */
export function makeRoundTrip(
  connections: Connections,
  request: HttpRequest,
): Promise<OutboundAnswer> {
  const { signal } = request
  const parts = partsOf(request)
  signal.throwIfAborted()
  const taken = connections.take(request, signal)
  const isKept = !(taken instanceof Promise)
  const send = (connection: Connection) =>
    new RoundTrip(connections, connection, request, parts, isKept).send()
  return isKept ? send(taken) : taken.then(send)
}

class RoundTrip implements Holder, HeadListener, ByteReader {
  readonly #connections: Connections
  #connection: Connection
  /** The connection was kept, and nothing came on it yet: until then its end is that of an idle one. */
  #staleUntil: number
  readonly #request: HttpRequest
  /** Of a slow reader; undefined: the answer is not paced. */
  readonly #memory: ReaderMemory | undefined
  #unsent: Uint8Array[]
  readonly #answered = Promise.withResolvers<OutboundAnswer>()
  readonly #parser = new AnswerParser(this)
  readonly #unread: Uint8Array[] = []
  #unreadBytes = 0
  #encoding = 'identity'
  #waiting: PromiseWithResolvers<Read> | undefined
  #isPaused = false
  #isOver = false
  #failure: unknown

  constructor(
    connections: Connections,
    connection: Connection,
    request: HttpRequest,
    parts: Uint8Array[],
    isKept: boolean,
  ) {
    this.#connections = connections
    this.#connection = connection
    this.#request = request
    this.#memory = request.isPaced ? request.memory : undefined
    this.#unsent = parts
    this.#staleUntil = isKept ? performance.now() + staleMs : 0
  }

  send(): Promise<OutboundAnswer> {
    const { signal } = this.#request
    if (this.#connection.isClosed) throw connectionLost()
    if (signal.aborted) this.#connections.drop(this.#connection)
    signal.throwIfAborted()
    signal.addEventListener('abort', this, { once: true })
    this.#connection.holder = this
    this.drain()
    return this.#answered.promise
  }

  drain(): void {
    for (let part = this.#unsent.shift(); part; part = this.#unsent.shift()) {
      const sent = Math.max(0, this.#connection.socket.write(part))
      if (sent === part.byteLength) continue
      this.#unsent.unshift(part.subarray(sent))
      return
    }
  }

  data(bytes: Buffer): void {
    this.#staleUntil = 0
    try {
      const body = this.#parser.push(bytes)
      if (body.byteLength > 0) this.#unread.push(body)
      this.#unreadBytes += body.byteLength
    } catch (error) {
      this.#fail(error)
      return
    }
    if (this.#waiting && this.#unread.length > 0) {
      this.#waiting.resolve(this.#next())
      this.#waiting = undefined
    }
    if (!this.#parser.isDone) {
      this.#pause()
      return
    }
    this.#resume() // its next user reads, and the end is noticed
    if (this.#parser.mayStay && this.#unsent.length === 0) this.#connections.keep(this.#connection)
    else this.#connections.drop(this.#connection)
    this.#over()
  }

  headCame({ status, headers }: AnswerHead): void {
    this.#encoding = headers.get('content-encoding')?.toLowerCase() ?? 'identity'
    this.#answered.resolve({ status, headers, ok: status >= 200 && status < 300, body: this })
  }

  getReader(): ByteReader {
    const format = formats[this.#encoding]
    return format === undefined ? this : decompressed(this, format)
  }

  closed(error: Error | undefined): void {
    if (performance.now() < this.#staleUntil) this.#sendAnew()
    else this.#over(this.#parser.end() ? undefined : (error ?? connectionLost()))
  }

  #sendAnew(): void {
    this.#staleUntil = 0
    this.#connections.open(this.#request, this.#request.signal).then(
      (connection) => {
        this.#connection = connection
        this.#unsent = partsOf(this.#request)
        if (this.#isOver) this.#connections.drop(connection)
        else if (connection.isClosed) this.#over(connectionLost())
        else {
          connection.holder = this
          this.drain()
        }
      },
      (error) => this.#over(error),
    )
  }

  /** The signal's `abort`. */
  handleEvent(): void {
    if (this.#isOver) return
    this.#drop()
    this.#fail(this.#request.signal.reason)
  }

  read(): Promise<Read> {
    if (this.#unread.length > 0) return Promise.resolve(this.#next())
    if (this.#isOver) {
      return this.#failure === undefined ? Promise.resolve(atEnd) : Promise.reject(this.#failure)
    }
    this.#waiting ??= Promise.withResolvers()
    const memory = this.#memory
    if (this.#isPaused && memory?.isShort()) void afterShortage(memory).then(() => this.#resume())
    else this.#resume()
    return this.#waiting.promise
  }

  async cancel(): Promise<void> {
    this.#drop()
    if (!this.#isOver) this.#fail(connectionLost())
  }

  #next(): Read {
    const [first] = this.#unread
    if (first === undefined) return atEnd
    const { isPaced } = this.#request
    const value = isPaced ? first.subarray(0, mostAtOnce) : first
    this.#unreadBytes -= value.byteLength
    if (value.byteLength < first.byteLength) this.#unread[0] = first.subarray(mostAtOnce)
    else this.#unread.shift()
    return { done: false, value }
  }

  /** Holds its upstream back: the client has not read what is here. */
  #pause(): void {
    const { isPaced } = this.#request
    if (this.#isPaused || this.#isOver) return
    if (this.#unreadBytes <= (isPaced ? 0 : mostUnread)) return
    this.#isPaused = true
    this.#connection.socket.pause()
    if (isPaced) this.#connections.widen(this.#connection, this.#memory?.hold() ?? false)
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#connection.socket.resume()
    this.#memory?.release()
  }

  #drop(): void {
    this.#unread.length = 0
    this.#unreadBytes = 0
  }

  #fail(error: unknown): void {
    this.#connections.drop(this.#connection)
    this.#over(error)
  }

  #over(error?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#failure = error
    this.#memory?.release()
    if (error !== undefined) this.#answered.reject(error)
    if (this.#waiting === undefined) return
    if (error === undefined) this.#waiting.resolve(atEnd)
    else this.#waiting.reject(error)
    this.#waiting = undefined
  }
}

const atEnd: Read = { done: true }

/** A slow reader does not notice waits this short: the system still has data for it. */
const shortWaits = 20
const shortWaitMs = 50

async function afterShortage(memory: ReaderMemory): Promise<void> {
  for (let waits = 0; waits < shortWaits && memory.isShort(); waits++) await Bun.sleep(shortWaitMs)
}

/** Encodings that upstreams use unasked. */
const formats: Readonly<Record<string, Bun.CompressionFormat>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
}

function decompressed(reader: ByteReader, format: Bun.CompressionFormat): ByteReader {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await reader.read()
    if (done) controller.close()
    else controller.enqueue(value)
  }
  const source = { pull, cancel: () => reader.cancel() }
  const compressed = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 })
  const inflate = new DecompressionStream(format) as ReadableWritablePair<Uint8Array, Uint8Array>
  const plain = compressed.pipeThrough(inflate).getReader()
  return {
    read: () => plain.read().catch((error: unknown) => Promise.reject(asZlibError(error))),
    cancel: () => plain.cancel(),
  }
}

/** A broken connection keeps its own error. */
const asZlibError = (error: unknown) =>
  error instanceof TypeError ? Object.assign(error, { code: 'ZlibError' }) : error

/** A larger body is sent as it is, after its head; a smaller one with it. */
const largeBytes = 65_536

function partsOf(request: HttpRequest): Uint8Array[] {
  const { body } = request
  const head = headOf(request)
  if (body === undefined || body.byteLength >= largeBytes) {
    const first = Buffer.from(head, 'latin1')
    return body === undefined ? [first] : [first, body]
  }
  const whole = Buffer.allocUnsafe(head.length + body.byteLength)
  whole.write(head, 'latin1')
  whole.set(body, head.length)
  return [whole]
}

const agent = navigator.userAgent
/** What no value may hold. */
const endsLine = /[\0\r\n]|[^\0-\xff]/

function headOf({ target, method, headers, body }: HttpRequest): string {
  const { path, host } = urlParts(target)
  let head = `${method} ${path} HTTP/1.1\r\n`
  if (headers.host === undefined) head += `host: ${host}\r\n`
  if (headers.accept === undefined) head += 'accept: */*\r\n'
  if (headers['user-agent'] === undefined) head += `user-agent: ${agent}\r\n`
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (endsLine.test(value)) throw new TypeError(`The header ${name} has an invalid value.`)
    head += `${name}: ${value}\r\n`
  }
  if (body !== undefined) head += `content-length: ${body.byteLength}\r\n`
  return `${head}\r\n`
}
