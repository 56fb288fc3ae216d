import { Stream } from '@elysiajs/stream'

/** What a live view tells: server-sent events. */
export type LiveEvent =
  /** It has begun: what is in the list from now on comes by itself. */
  | { readonly event: 'ready'; readonly data: '' }
  | { readonly event: 'request'; readonly data: object }
  /** More came than can be shown. */
  | { readonly event: 'skipped'; readonly data: '' }
  /** Nothing new: so that proxies, and the browser, see that it lives. */
  | { readonly event: 'ping'; readonly data: '' }
  | { readonly event: 'end'; readonly data: 'signed_out' | 'stopping' }

/** So many events wait for a slow reader, and as many in its stream; then it is told that some were left out. */
const maxWaiting = 200

type Told = IteratorResult<LiveEvent, undefined>

/** The events of one live view. It is no generator function: `return` of one that waits would wait, too. */
export class Viewer implements AsyncIterableIterator<LiveEvent, undefined> {
  readonly #onEnd: () => void
  readonly #events: LiveEvent[] = [{ event: 'ready', data: '' }]
  #waiting: ((told: Told) => void) | undefined
  #hasEnded = false
  /** Whether the reader has so much to read that the next events wait. */
  isFull = (): boolean => false

  /** `onEnd` is called once: the view was ended, or its reader has left. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  tell(event: LiveEvent): void {
    if (this.#hasEnded) return
    if (this.#events.length < maxWaiting) this.#events.push(event)
    else this.#events[maxWaiting - 1] = { event: 'skipped', data: '' }
    this.#giveNext()
  }

  /** Ends the view; the reader is told why. */
  end(reason: 'signed_out' | 'stopping'): void {
    this.tell({ event: 'end', data: reason })
    this.#finish()
  }

  next(): Promise<Told> {
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#giveNext()
    })
  }

  return(): Promise<Told> {
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
    this.#giveNext()
  }

  #giveNext(): void {
    const give = this.#waiting
    if (give === undefined || (this.isFull() && !this.#hasEnded)) return
    const event = this.#events.shift()
    if (event === undefined && !this.#hasEnded) return
    this.#waiting = undefined
    give(event ? { done: false, value: event } : { done: true, value: undefined })
  }
}

/** Proxies must not collect what is to come at once. */
const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Answers a request with the events of a live view. */
export function answerWith(viewer: Viewer): Response {
  const stream: Stream<Uint8Array> = new Stream<Uint8Array>(framesOf())
  const encoder = new TextEncoder()
  // The stream takes all that there is: what a slow reader has not read waits in it.
  viewer.isFull = () => {
    const { controller } = stream as unknown as { controller?: { desiredSize: number | null } }
    return (controller?.desiredSize ?? 0) < -maxWaiting
  }
  // As bytes: texts would get an `id` each, and empty ones are left out.
  async function* framesOf() {
    for await (const { event, data } of viewer) {
      stream.event = event
      yield encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
    }
  }
  return new Response(stream.value, { headers })
}
