import type { Serving } from '../app/serve.ts'
import type { Logger } from '../lib/log.ts'

/** An error that nobody caught is a bug: it is told, and the other requests go on. */
export function surviveBugs(log: Logger): void {
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }))
  process.on('uncaughtException', (error) => log.error('uncaught exception', { error }))
}

/**
 * Resolves when a signal has stopped the gateway. A second one cuts the grace of open streams
 * short; SIGHUP reads the configuration again.
 */
export function untilStopped(serving: Pick<Serving, 'reload' | 'stop'>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => void serving.stop().then(resolve, reject)
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
    process.on('SIGHUP', () => void serving.reload())
  })
}
