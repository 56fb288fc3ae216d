import { complain } from './errors.ts'

/** What a shell says of a command that a signal has ended: 128 and the signal's number. */
export const signalExitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export type StopSignal = keyof typeof signalExitCodes

/**
 * Runs work that must not leave its drafts behind: at a signal it is told to clean up, at once, and
 * the process ends without waiting for what its threads are doing. `outcome` is what is said then.
 */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  outcome = 'nothing was left behind',
): Promise<Result> {
  const controller = new AbortController()
  const handlers = Object.entries(signalExitCodes).map(([name, code]) => {
    const handler = () => {
      controller.abort()
      complain(`interrupted (${name}): ${outcome}`)
      process.exit(code)
    }
    process.once(name, handler)
    return [name, handler] as const
  })
  try {
    return await work(controller.signal)
  } finally {
    for (const [name, handler] of handlers) process.off(name, handler)
  }
}
