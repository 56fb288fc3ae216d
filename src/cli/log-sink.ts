import { Option } from 'commander'
import { systemClock } from '../lib/clock.ts'
import { createLogger, type Logger } from '../lib/log.ts'

/** Lines of a log on their way out. */
export interface LineSink {
  /** Takes a line without its line break; never waits, never throws. */
  write(line: string): void
  /** True when all lines are out, or can't be; false when that takes longer than so many milliseconds. */
  flush(limitMs: number): Promise<boolean>
}

/** A reader that is further behind, in characters, loses lines instead of filling our memory. */
const maxWaitingLength = 8 * 1024 * 1024

/** Writes the lines of one turn of the event loop together: a system call each would cost more. */
export function createLineSink(stream: NodeJS.WriteStream): LineSink {
  let waiting = ''
  let lost = 0
  /** Of what the stream was given; it tells nothing itself of what its reader has not taken (Bun 1.4). */
  let unreadLength = 0
  let broken = false
  stream.on('error', () => {
    // The reader has gone; serving goes on without a log.
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

/** How a log is written; off: only warnings and errors, as people read them. */
type LogForm = 'pretty' | 'json' | 'off'

/** The option that says it; on a terminal it is for people, else JSON. */
export const logOption = (about: string, forms: readonly LogForm[]): Option =>
  new Option('--log <form>', about)
    .choices(forms)
    .default(process.stdout.isTTY ? 'pretty' : 'json', 'pretty on a terminal, else json')

/** A log on stdout. */
export function openLog(form: LogForm): { readonly sink: LineSink; readonly log: Logger } {
  const sink = createLineSink(process.stdout)
  const isJson = form === 'json'
  const log = createLogger({
    sink: isJson ? sink.write : withoutColors(sink.write, process.stdout),
    pretty: !isJson,
    clock: systemClock,
    level: form === 'off' ? 'warn' : 'info',
  })
  return { sink, log }
}
