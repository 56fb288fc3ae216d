import { systemClock } from '../lib/clock.ts'
import { createLineSink, type LineSink, withoutColors } from '../lib/line-sink.ts'
import { createLogger, type Logger } from '../lib/log.ts'

/** How a log is written; off: only warnings and errors, for people. */
export type LogForm = 'pretty' | 'json' | 'off'

interface LogPlace {
  /** Other processes of the group write there, too. */
  readonly isShared?: boolean
  /** Number of the worker that writes it; absent: it is none. */
  readonly worker?: number
}

/** Opens the log of this process on stdout. */
export function openLog(
  form: LogForm,
  { isShared = false, worker }: LogPlace = {},
): { readonly sink: LineSink; readonly log: Logger } {
  const sink = createLineSink(process.stdout, { isShared })
  const isJson = form === 'json'
  const log = createLogger({
    sink: isJson ? sink.write : withoutColors(sink.write, process.stdout),
    pretty: !isJson,
    worker,
    clock: systemClock,
    level: form === 'off' ? 'warn' : 'info',
  })
  return { sink, log }
}
