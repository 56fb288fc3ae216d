interface PieceSource {
  /** Asks for the next piece. */
  readonly more: () => void
  /** Nobody takes any more of them. */
  readonly leave: () => void
}

/** The body of an answer that comes piece by piece from elsewhere: each is asked for when it is wanted. */
export type Pieces = ReturnType<typeof createPieces>

export function createPieces({ more, leave }: PieceSource) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let taken: (() => void) | undefined
  let hasEnded = false

  /** Whoever waits for a piece waits no longer. */
  function settle(work: (to: ReadableStreamDefaultController<Uint8Array>) => void): void {
    if (hasEnded || controller === undefined) return
    work(controller)
    taken?.()
  }

  function finish(work: (to: ReadableStreamDefaultController<Uint8Array>) => void): void {
    settle(work)
    hasEnded = true
  }

  return {
    stream: new ReadableStream<Uint8Array>(
      {
        start(given) {
          controller = given
        },
        pull: () =>
          new Promise<void>((resolve) => {
            taken = resolve
            more()
          }),
        cancel() {
          hasEnded = true
          taken?.()
          leave()
        },
      },
      { highWaterMark: 0 },
    ),
    give: (bytes: Uint8Array) => settle((to) => to.enqueue(bytes)),
    end: () => finish((to) => to.close()),
    /** It never ends cleanly. */
    fail: (error: Error) => finish((to) => to.error(error)),
  }
}
