import { type AnswerHead, createAnswerParser } from './answer-parser.ts'
import { type Connection, type Connections, connectionLost, type Peer } from './connections.ts'

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
  readonly headers: Headers
  readonly body: { getReader(): ByteReader } | null
}

interface PacedRequest extends Peer {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: Uint8Array | undefined
  readonly signal: AbortSignal
  readonly memory: ReaderMemory | undefined
}

export interface ReaderMemory {
  /** Leases memory; true when it is enough for `mostHeldPerReader`. */
  hold(): boolean
  release(): void
  /** There is no lease, or memory is short: reading ahead of a slow client can wait. */
  isShort(): boolean
}

/** The most bytes passed on at once: what is made of them waits for a slow reader. */
const mostAtOnce = 16_384

/** The most memory, in bytes, for a client that does not read; half of it where memory is short. */
export const mostHeldPerReader = 262_144

type Read = Awaited<ReturnType<ByteReader['read']>>

/** Resolves with the answer's head; reads no further ahead than its reader. */
export async function sendPaced(
  connections: Connections,
  request: PacedRequest,
): Promise<OutboundAnswer> {
  const { signal } = request
  const head = headOf(request)
  signal.throwIfAborted()
  const taken = connections.take(request, signal)
  const connection = taken instanceof Promise ? await taken : taken
  if (connection.isClosed) throw connectionLost()
  if (signal.aborted) connections.drop(connection)
  signal.throwIfAborted()
  return sendOn(connections, connection, request, head)
}

function sendOn(
  connections: Connections,
  connection: Connection,
  request: PacedRequest,
  head: string,
): Promise<OutboundAnswer> {
  const { socket } = connection
  const { signal, memory } = request
  const answered = Promise.withResolvers<OutboundAnswer>()
  const unsent = partsOf(head, request.body)
  const unread: Uint8Array[] = []
  let waiting: PromiseWithResolvers<Read> | undefined
  let isPaused = false
  let isOver = false
  let failure: unknown

  const parser = createAnswerParser((found) => answered.resolve(answerOf(found, reader)))

  function write(): void {
    for (let part = unsent.shift(); part; part = unsent.shift()) {
      const sent = Math.max(0, socket.write(part))
      if (sent === part.byteLength) continue
      unsent.unshift(part.subarray(sent))
      return
    }
  }

  function over(error?: unknown): void {
    if (isOver) return
    isOver = true
    failure = error
    signal.removeEventListener('abort', onAbort)
    memory?.release()
    if (error !== undefined) answered.reject(error)
    if (waiting === undefined) return
    if (error === undefined) waiting.resolve(atEnd)
    else waiting.reject(error)
    waiting = undefined
  }

  function fail(error: unknown): void {
    connections.drop(connection)
    over(error)
  }
  const onAbort = () => {
    unread.length = 0
    fail(signal.reason)
  }

  function pause(): void {
    if (isPaused || unread.length === 0 || isOver) return
    isPaused = true
    socket.pause()
    connections.widen(connection, memory?.hold() ?? false)
  }

  function resume(): void {
    if (!isPaused) return
    isPaused = false
    socket.resume()
    memory?.release()
  }

  function next(): Read {
    const [first] = unread
    if (first === undefined) return atEnd
    if (first.byteLength > mostAtOnce) unread[0] = first.subarray(mostAtOnce)
    else unread.shift()
    return { done: false, value: first.subarray(0, mostAtOnce) }
  }

  function data(bytes: Buffer): void {
    try {
      const body = parser.push(bytes)
      if (body.byteLength > 0) unread.push(body)
    } catch (error) {
      fail(error)
      return
    }
    if (waiting && unread.length > 0) {
      waiting.resolve(next())
      waiting = undefined
    }
    if (!parser.isDone()) {
      pause()
      return
    }
    resume() // its next user reads, and the end is noticed
    if (parser.mayStay() && unsent.length === 0) connections.keep(connection)
    else connections.drop(connection)
    over()
  }

  const reader: ByteReader = {
    read() {
      if (unread.length > 0) return Promise.resolve(next())
      if (isOver) return failure === undefined ? Promise.resolve(atEnd) : Promise.reject(failure)
      waiting ??= Promise.withResolvers()
      if (isPaused && memory?.isShort()) void afterShortage(memory).then(resume)
      else resume()
      return waiting.promise
    },
    async cancel() {
      unread.length = 0
      if (!isOver) fail(connectionLost())
    },
  }

  connection.holder = {
    data,
    drain: write,
    closed: (error) => over(parser.end() ? undefined : (error ?? connectionLost())),
  }
  signal.addEventListener('abort', onAbort, { once: true })
  write()
  return answered.promise
}

const atEnd: Read = { done: true }

/** A slow reader does not notice waits this short: the system still has data for it. */
const shortWaits = 20
const shortWaitMs = 50

async function afterShortage(memory: ReaderMemory): Promise<void> {
  for (let waits = 0; waits < shortWaits && memory.isShort(); waits++) await Bun.sleep(shortWaitMs)
}

/** A larger body is sent as it is, after its head; a smaller one with it. */
const largeBytes = 65_536

function partsOf(head: string, body: Uint8Array | undefined): Uint8Array[] {
  const first = Buffer.from(head, 'latin1')
  if (body === undefined || body.byteLength === 0) return [first]
  return body.byteLength < largeBytes ? [Buffer.concat([first, body])] : [first, body]
}

function answerOf({ status, headers }: AnswerHead, reader: ByteReader): OutboundAnswer {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  const format = formats[encoding]
  return {
    status,
    headers,
    ok: status >= 200 && status < 300,
    body: { getReader: () => (format === undefined ? reader : decompressed(reader, format)) },
  }
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
  const source = { pull, cancel: reader.cancel }
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

function headOf({ target, method, headers: own, body }: PacedRequest): string {
  const headers = new Headers({ host: target.host, accept: '*/*', 'user-agent': agent })
  for (const [name, value] of Object.entries(own)) headers.set(name, value)
  if (body !== undefined) headers.set('content-length', String(body.byteLength))
  let head = `${method} ${target.pathname}${target.search} HTTP/1.1\r\n`
  for (const [name, value] of headers) head += `${name}: ${value}\r\n`
  return `${head}\r\n`
}

const agent = navigator.userAgent
