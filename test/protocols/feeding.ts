import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnswerObserver, Frame, FrameSplitter } from '../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'

/** The bytes of a file in `test/fixtures`. */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(import.meta.dir, '../fixtures', name)))
}

/** What a splitter made of a stream: its frames, and all bytes that came out. */
export interface Split {
  readonly frames: readonly { readonly event: string; readonly data: string }[]
  readonly bytes: Uint8Array
}

/** Runs chunks through a splitter, and checks that each frame lies where its offsets say. */
export function split(splitter: FrameSplitter, chunks: Iterable<Uint8Array>): Split {
  const frames: Frame[] = []
  const parts: Uint8Array[] = []
  const take = ({ whole, frames: found }: ReturnType<FrameSplitter['push']>) => {
    let last = 0
    for (const frame of found) {
      if (frame.start < last || frame.end <= frame.start || frame.end > whole.length) {
        throw new Error(`frame at ${frame.start}..${frame.end} of ${whole.length}`)
      }
      last = frame.end
    }
    frames.push(...found)
    parts.push(whole.slice())
  }
  for (const chunk of chunks) take(splitter.push(chunk))
  take(splitter.end())
  return { frames: frames.map(({ event, data }) => ({ event, data })), bytes: joined(parts) }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

/** One chunk per byte. */
export function* byteByByte(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.slice(at, at + 1)
}

/** Chunks of 0 to `longest` bytes, the same ones for the same seed. */
export function* cutAtRandom(
  bytes: Uint8Array,
  seed: number,
  longest: number,
): Generator<Uint8Array> {
  let state = seed
  let at = 0
  while (at < bytes.length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const end = Math.min(bytes.length, at + (state % (longest + 1)))
    yield bytes.slice(at, end)
    at = end
  }
}

/** Lets an observer watch a whole SSE stream; gives what it said of each frame. */
export function watch(observer: AnswerObserver, stream: Uint8Array | string): string[] {
  const bytes = typeof stream === 'string' ? new TextEncoder().encode(stream) : stream
  const { frames } = split(createSseSplitter(), [bytes])
  return frames.map(({ data, event }) => observer.push(data, event))
}
