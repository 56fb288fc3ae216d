import type { AnswerObserver, FrameSplitter, Frames } from '../protocols/protocol.ts'

/** What may go to the client of the bytes that came. */
export interface Tap {
  push(chunk: Uint8Array): Uint8Array
  /** The upstream has ended: what was waiting for its frame's end. */
  end(): Uint8Array
}

/**
 * Lets bytes through in whole frames while the observer watches them. Frames stay as they are;
 * with `hideUsage` the chunk that carries nothing but usage is left out, because the client did
 * not ask for it.
 */
export function createTap(
  splitter: FrameSplitter,
  observer: AnswerObserver,
  hideUsage: boolean,
): Tap {
  const watch = ({ whole, frames }: Frames): Uint8Array => {
    let shown: Uint8Array[] | undefined
    let from = 0
    for (const frame of frames) {
      const role = observer.push(frame.data, frame.event)
      if (!hideUsage || role === 'pass') continue
      shown ??= []
      shown.push(whole.subarray(from, frame.start))
      from = frame.end
    }
    return shown ? Buffer.concat([...shown, whole.subarray(from)]) : whole
  }
  return {
    push: (chunk) => watch(splitter.push(chunk)),
    end: () => watch(splitter.end()),
  }
}
