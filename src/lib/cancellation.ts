type Listener = { handleEvent(): void } | (() => void)

/** What work looks at that can be called off: an `AbortSignal`, or a `Cancellation`. */
export interface Ending {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: Listener, options?: { readonly once: true }): void
  removeEventListener(type: 'abort', listener: Listener): void
}

/**
 * An `AbortController` and its signal in one, for each request: making those costs microseconds, and outlives
 * collections. Listeners are called once.
 */
export class Cancellation implements Ending {
  aborted = false
  reason: unknown
  readonly #listeners: Listener[] = []
  #controller: AbortController | undefined

  /** A real signal, for what takes nothing else. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.aborted) this.#controller.abort(this.reason)
    return this.#controller.signal
  }

  abort(reason: unknown = new DOMException('The operation was aborted.', 'AbortError')): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    this.#controller?.abort(reason)
    for (const listener of this.#listeners.splice(0)) {
      if (typeof listener === 'function') listener()
      else listener.handleEvent()
    }
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  addEventListener(_type: 'abort', listener: Listener): void {
    if (!this.aborted) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    const at = this.#listeners.indexOf(listener)
    if (at >= 0) this.#listeners.splice(at, 1)
  }
}
