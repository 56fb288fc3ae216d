import { constants } from 'node:os'

interface Answers {
  stop(): void
  /** A second signal to stop. */
  hurry(): void
  /** A third one; the process ends then. */
  kill(why: string): void
  reload(): void
}

/** Answers signals to the starter as a process alone does. */
export function heedSignals({ stop, hurry, kill, reload }: Answers): void {
  let count = 0
  const heed = (signal: 'SIGTERM' | 'SIGINT') => {
    count++
    if (count === 1) stop()
    else if (count === 2) hurry()
    else {
      kill(`ended by another ${signal}`)
      process.exit(128 + constants.signals[signal])
    }
  }
  process.on('SIGTERM', heed)
  process.on('SIGINT', heed)
  process.on('SIGHUP', reload)
}
