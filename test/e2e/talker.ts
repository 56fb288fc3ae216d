import { startRawUpstream } from '../support/raw-upstream.ts'
import type { Dialect } from './dialects.ts'

/**
 * An upstream that talks until it has said 100,000 LLM tokens, or nobody listens; so many pieces in
 * each chunk.
 */
export async function startTalker(dialect: Dialect, atOnce = 1) {
  let isOpen = false
  let [spoken, pieces] = [dialect, atOnce]
  const words = Array.from({ length: 500 }, (_, i) => `word ${i} of a story without end, `)
  const upstream = await startRawUpstream(async (socket) => {
    isOpen = true
    socket.on('close', () => {
      isOpen = false
    })
    const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
    socket.write(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n' +
        chunk(spoken.first({ input: 10, output: 100_000 })),
    )
    for (let i = 0; i < 10_000 && !socket.destroyed; i += pieces) {
      const said = Array.from({ length: pieces }, (_, j) => words[(i + j) % words.length] ?? '')
      socket.write(chunk(said.map(spoken.piece).join('')))
      if (i % 10 === 0) await Bun.sleep(1)
    }
    socket.end(`${chunk(spoken.last({ input: 10, output: 100_000 }))}0\r\n\r\n`)
  })
  return {
    url: upstream.url,
    isOpen: () => isOpen,
    /** So it talks from now on. */
    speak(next: Dialect, nextAtOnce: number): void {
      ;[spoken, pieces] = [next, nextAtOnce]
    },
    [Symbol.asyncDispose]: upstream.stop,
  }
}
