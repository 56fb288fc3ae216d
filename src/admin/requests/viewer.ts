import { Stream } from '@elysiajs/stream'

/** Server-sent events of a live view. */
type LiveEvent =
  /** All requests that end from now on follow. */
  | { readonly event: 'ready'; readonly data: '' }
  | { readonly event: 'request'; readonly data: object }
  /** Some requests were left out. */
  | { readonly event: 'skipped'; readonly data: '' }
  /** Heartbeat for proxies and the browser. */
  | { readonly event: 'ping'; readonly data: '' }
  | { readonly event: 'end'; readonly data: 'signed_out' | 'stopping' }

/** Events that wait for a slow reader, here and again in its stream; a `skipped` event replaces the rest. */
const maxWaiting = 200

type Delivered = IteratorResult<LiveEvent, undefined>

/** The events of one live view. A generator's `return` would wait for its pending `next`. */
export class Viewer implements AsyncIterableIterator<LiveEvent, undefined> {
  readonly #onEnd: () => void
  readonly #events: LiveEvent[] = [{ event: 'ready', data: '' }]
  #waiting: ((result: Delivered) => void) | undefined
  #hasEnded = false
  /** Whether events wait because the reader is slow. */
  isFull = (): boolean => false

  /** `onEnd` is called once, when the view ends or the client disconnects. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  send(event: LiveEvent): void {
    if (this.#hasEnded) return
    if (this.#events.length < maxWaiting) this.#events.push(event)
    else this.#events[maxWaiting - 1] = { event: 'skipped', data: '' }
    this.#deliver()
  }

  /** Ends the view and sends the reason. */
  end(reason: 'signed_out' | 'stopping'): void {
    this.send({ event: 'end', data: reason })
    this.#finish()
  }

  next(): Promise<Delivered> {
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#deliver()
    })
  }

  return(): Promise<Delivered> {
    this.#events.length = 0
    this.#finish()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator]() {
    return this
  }

  #finish(): void {
    if (!this.#hasEnded) this.#onEnd()
    this.#hasEnded = true
    this.#deliver()
  }

  #deliver(): void {
    const deliver = this.#waiting
    if (deliver === undefined || (this.isFull() && !this.#hasEnded)) return
    const event = this.#events.shift()
    if (event === undefined && !this.#hasEnded) return
    this.#waiting = undefined
    deliver(event ? { done: false, value: event } : { done: true, value: undefined })
  }
}

/** Proxies must not buffer events. */
const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** The response that streams a live view. */
export function answerWith(viewer: Viewer): Response {
  const stream: Stream<Uint8Array> = new Stream<Uint8Array>(framesOf())
  const encoder = new TextEncoder()
  // The stream accepts everything: what a slow reader has not read waits in it.
  viewer.isFull = () => {
    const { controller } = stream as unknown as { controller?: { desiredSize: number | null } }
    return (controller?.desiredSize ?? 0) < -maxWaiting
  }
  // As bytes: the stream adds an `id` to texts and drops empty ones.
  async function* framesOf() {
    for await (const { event, data } of viewer) {
      stream.event = event
      yield encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
    }
  }
  return new Response(stream.value, { headers })
}
