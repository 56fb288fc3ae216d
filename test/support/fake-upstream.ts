import { createRandom } from './random.ts'
/** A request that a fake upstream received. `body` is exactly what came over the wire. */
export interface SeenRequest {
  readonly method: string
  /** With the query, without the host. */
  readonly path: string
  readonly headers: Headers
  readonly body: Uint8Array
  readonly receivedAt: number
  /** When the far side closed the connection before the answer was whole. */
  readonly abortedAt: number | undefined
  /** Settles as soon as that happens. */
  readonly aborted: Promise<void>
  text(): string
  json(): unknown
}

/** Decides the answer to one request. */
export type FakeHandler = (request: SeenRequest) => Response | Promise<Response>

/** A scripted upstream on a free port of 127.0.0.1. */
export interface FakeUpstream extends AsyncDisposable {
  readonly url: string
  /** Every request in the order it came, bodies read whole. */
  readonly requests: readonly SeenRequest[]
  /** The newest request; throws when there is none. */
  last(): SeenRequest
  /** Replaces the script. */
  handle(handler: FakeHandler): void
  /** Forgets what was seen. */
  clear(): void
  stop(): Promise<void>
}

/** Starts a fake upstream: `handler` decides every answer, everything it gets is kept. */
export function startFakeUpstream(handler: FakeHandler): FakeUpstream {
  const requests: SeenRequest[] = []
  let script = handler
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    development: false,
    idleTimeout: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      const seen = await read(request)
      requests.push(seen)
      return script(seen)
    },
    error: (error) =>
      new Response(`The fake upstream's script failed: ${error}`, {
        status: 500,
      }),
  })
  const stop = () => server.stop(true)
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    last() {
      const seen = requests.at(-1)
      if (seen === undefined) throw new Error('The fake upstream has seen no request.')
      return seen
    },
    handle(next) {
      script = next
    },
    clear() {
      requests.length = 0
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function read(request: Request): Promise<SeenRequest> {
  const url = new URL(request.url)
  const receivedAt = performance.now()
  let abortedAt: number | undefined
  const aborted = new Promise<void>((resolve) => {
    request.signal.addEventListener('abort', () => {
      abortedAt = performance.now()
      resolve()
    })
  })
  const body = await request.bytes()
  const text = () => new TextDecoder().decode(body)
  return {
    method: request.method,
    path: url.pathname + url.search,
    headers: request.headers,
    body,
    receivedAt,
    get abortedAt() {
      return abortedAt
    },
    aborted,
    text,
    json: () => JSON.parse(text()) as unknown,
  }
}

/** An answer of JSON. */
export function jsonAnswer(body: unknown, status = 200, headers: Record<string, string> = {}) {
  return Response.json(body, { status, headers })
}

/**
 * How a streamed answer is cut into writes: `whole`; a number of bytes each (1 cuts inside every
 * UTF-8 sign); or a seed for cuts of random length that are the same in every run.
 */
export type Cuts = 'whole' | number | { readonly seed: number }

/** How a stream is sent. */
export interface SseOptions {
  readonly cuts?: Cuts
  readonly delayMs?: number
  readonly headers?: Record<string, string>
  /** What follows the text: the end (default), silence until the far side leaves, or a break. */
  readonly ending?: 'end' | 'stall' | 'break'
}

/** A stream of the given text, in any cuts, at any pace. */
export function sseAnswer(text: string, options: SseOptions = {}): Response {
  const pieces = cutBytes(new TextEncoder().encode(text), options.cuts ?? 'whole')
  async function* body() {
    for (const [at, piece] of pieces.entries()) {
      if (at > 0 && options.delayMs !== undefined) await Bun.sleep(options.delayMs)
      yield piece
    }
    if (options.ending === 'stall') await silence()
    // The bytes before it are to arrive: a connection that is torn down takes them along.
    if (options.ending === 'break') await Bun.sleep(50)
    if (options.ending === 'break') throw new Error('The fake upstream breaks its stream.')
  }
  return new Response(body(), {
    headers: { 'content-type': 'text/event-stream', ...options.headers },
  })
}

/** An answer that never begins. */
export const stall = (): Promise<Response> => silence()

const silence = () => new Promise<never>(() => {})

/** Cuts bytes as `Cuts` says; joined again they are the same. */
export function cutBytes(bytes: Uint8Array, cuts: Cuts): Uint8Array[] {
  if (cuts === 'whole') return [bytes]
  const pieces: Uint8Array[] = []
  const next = typeof cuts === 'number' ? () => cuts : randomLengths(cuts.seed)
  for (let at = 0; at < bytes.length; ) {
    const end = at + Math.max(next(), 1)
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}

/** Lengths from 1 to 64. */
function randomLengths(seed: number): () => number {
  const random = createRandom(seed)
  return () => 1 + ((random() * 2 ** 32) % 64)
}
