export interface LineSink {
  /** Takes a line without its line break; never waits, never throws. */
  write(line: string): void
  /** True when all lines are written or lost; false after `limitMs` milliseconds. */
  flush(limitMs: number): Promise<boolean>
}

/** A slower reader, in characters, loses lines instead of filling our memory. */
const maxWaitingLength = 8 * 1024 * 1024

/** Linux writes so much into a pipe in one piece (PIPE_BUF), whoever else writes into it. */
const wholeBytes = 4_096

interface LineSinkOptions {
  /** Other processes write to the stream, too: lines of at most 4,096 bytes stay whole. */
  readonly isShared?: boolean
}

/**
 * Writes the lines of one turn of the event loop together: a system call each would cost more. Later ones wait
 * until these are written: the stream would join them, and the system then may split them anywhere.
 */
export function createLineSink(
  stream: NodeJS.WriteStream,
  { isShared = false }: LineSinkOptions = {},
): LineSink {
  /** Each of them is written at once. */
  const parts: string[] = []
  let lastBytes = 0
  let unwrittenLength = 0
  let lost = 0
  let isWriting = false
  let broken = false
  const flushes = new Set<() => void>()
  stream.on('error', () => {
    // The reader has exited; serving continues without a log.
    broken = true
    ended()
  })

  function add(line: string): void {
    const text = `${line}\n`
    const bytes = isShared ? Buffer.byteLength(text) : 0
    if (parts.length > 0 && lastBytes + bytes <= wholeBytes) {
      parts[parts.length - 1] += text
      lastBytes += bytes
    } else {
      parts.push(text)
      lastBytes = bytes
    }
    unwrittenLength += text.length
  }

  function writeNext(): void {
    if (isWriting || broken) return
    const text = parts.shift()
    if (text === undefined) {
      ended()
      return
    }
    isWriting = true
    stream.write(text, () => {
      isWriting = false
      unwrittenLength -= text.length
      writeNext()
    })
  }

  function ended(): void {
    for (const done of flushes) done()
    flushes.clear()
  }

  return {
    write(line) {
      if (broken) return
      if (unwrittenLength > maxWaitingLength) {
        lost++
        return
      }
      if (parts.length === 0 && !isWriting) setImmediate(writeNext)
      if (lost > 0) {
        add(JSON.stringify({ level: 'warn', message: 'log lines lost', count: lost }))
        lost = 0
      }
      add(line)
    },
    flush(limitMs) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), limitMs)
      flushes.add(() => resolve(true))
      if (broken) ended()
      else writeNext()
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
