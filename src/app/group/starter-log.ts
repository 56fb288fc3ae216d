import { isatty } from 'node:tty'
import { systemClock } from '../../lib/clock.ts'
import { withoutColors } from '../../lib/line-sink.ts'
import { createLogger } from '../../lib/log.ts'
import type { LogForm } from '../open-log.ts'

const flushMs = 2_000

/** The starter's log: few lines, without the streams of `process.stdout`, which take 4 MB. */
export function openStarterLog(form: LogForm) {
  const out = Bun.stdout.writer()
  const isPretty = form !== 'json'
  const write = (line: string) => {
    out.write(`${line}\n`)
    void flush()
  }
  /** Nobody may read it any more: the group serves on without a log. */
  const flush = async () => {
    try {
      await out.flush()
    } catch {
      return
    }
  }
  return {
    log: createLogger({
      sink: isPretty ? withoutColors(write, { isTTY: isatty(1) }) : write,
      pretty: isPretty,
      clock: systemClock,
      level: form === 'off' ? 'warn' : 'info',
    }),
    flush: () => Promise.race([flush(), Bun.sleep(flushMs)]),
  }
}
