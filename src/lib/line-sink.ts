export interface LineSink {
  /** Takes a line without its line break; never waits, never throws. */
  write(line: string): void
  /** True when all lines are written or lost; false after `limitMs` milliseconds. */
  flush(limitMs: number): Promise<boolean>
}

/** A slower reader, in characters, loses lines instead of filling our memory. */
const maxWaitingLength = 8 * 1024 * 1024

/** Writes the lines of one turn of the event loop together: a system call each would cost more. */
export function createLineSink(stream: NodeJS.WriteStream): LineSink {
  let waiting = ''
  let lost = 0
  /** Characters in the stream, which reports no unread length itself (Bun 1.4). */
  let unreadLength = 0
  let broken = false
  stream.on('error', () => {
    // The reader has exited; serving continues without a log.
    broken = true
  })

  function send(done = () => {}): void {
    const text = waiting
    waiting = ''
    if (broken) {
      done()
      return
    }
    unreadLength += text.length
    stream.write(text, () => {
      unreadLength -= text.length
      done()
    })
  }

  return {
    write(line) {
      if (broken) return
      if (unreadLength + waiting.length > maxWaitingLength) {
        lost++
        return
      }
      if (waiting === '') setImmediate(() => send())
      if (lost > 0) {
        waiting += `${JSON.stringify({ level: 'warn', message: 'log lines lost', count: lost })}\n`
        lost = 0
      }
      waiting += `${line}\n`
    },
    flush(limitMs) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), limitMs)
      send(() => resolve(true))
      return promise.finally(() => clearTimeout(timer))
    },
  }
}

/** Removes colours, for logs without a terminal and for `NO_COLOR` (no-color.org). */
export function withoutColors(
  write: LineSink['write'],
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): LineSink['write'] {
  const isColored = stream.isTTY === true && !env.NO_COLOR
  return isColored ? write : (line) => write(Bun.stripANSI(line))
}
