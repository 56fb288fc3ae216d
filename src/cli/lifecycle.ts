import type { Group } from '../app/group/join.ts'
import { settling } from '../app/stopping.ts'
import type { LineSink } from '../lib/line-sink.ts'
import type { Logger } from '../lib/log.ts'
import { complain, reportFailure } from './errors.ts'

/** Logs uncaught errors, which are bugs; the other requests continue. */
export function surviveBugs(log: Logger): void {
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }))
  process.on('uncaughtException', (error) => log.error('uncaught exception', { error }))
}

/** Defers SIGHUP while the process is busy; the returned function reports whether one came. */
export function holdHangUps(): () => boolean {
  let hasCome = false
  const note = () => {
    hasCome = true
  }
  process.on('SIGHUP', note)
  return () => {
    process.off('SIGHUP', note)
    return hasCome
  }
}

interface Stoppable {
  /** Resolves to what could not be ended in time; a second call skips the waiting. */
  stop(isReplaced?: boolean): Promise<readonly string[]>
  waitsFor?(): string | undefined
  reload?(): unknown
}

/**
 * Resolves after a signal has stopped the gateway, to what could not be ended. A second signal skips the
 * grace time; a third, or a second one after the settlements, ends the process. SIGHUP reads the configuration again.
 */
export function untilStopped(serving: Stoppable): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let count = 0
    const stop = (signal: StopSignal) => {
      count++
      const what = serving.waitsFor?.()
      if (count > 2 || (count === 2 && what !== undefined && what !== settling)) {
        complain(`ended by another ${signal}${what ? `, while it waited for ${what}` : ''}`)
        process.exit(signalExitCodes[signal])
      }
      serving.stop().then(resolve, reject)
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
    process.on('SIGHUP', serving.reload ? () => void serving.reload?.() : stop)
  })
}

/** Time for streams of clients when the starter is gone. */
const lastGraceMs = 2_500

interface Told {
  readonly group: Group
  /** Closes what takes connections, when the starter is gone. */
  close(): unknown
}

/** The same for a child of a group, on the word of its starter. */
export function untilTold(serving: Stoppable, { group, close }: Told): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const stop = (isReplaced?: boolean) => void serving.stop(isReplaced).then(resolve, reject)
    group.follow({
      onStop: stop,
      onHurry: () => stop(),
      onReload: () => void serving.reload?.(),
      onStarterGone() {
        close()
        stop()
        setTimeout(stop, lastGraceMs)
      },
    })
  })
}

const flushMs = 2_000

/** Runs a gateway until it is stopped, then exits even if a part or the log hangs. */
export async function seeOut(
  sink: LineSink,
  work: () => Promise<readonly string[]>,
): Promise<void> {
  let left: readonly string[]
  try {
    left = await work()
  } catch (error) {
    if (await sink.flush(flushMs)) throw error
    process.exit(reportFailure(error))
  }
  const code = left.length > 0 ? 1 : 0
  const end = () => process.exit(code)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end)
  const isRead = await sink.flush(flushMs)
  if (code !== 0)
    complain(`stopped, but this could not be done, or not in time: ${left.join(', ')}`)
  if (!isRead) complain('the log is not read: its last lines are lost')
  if (code !== 0 || !isRead) end()
}

/** The shell's exit codes of signals: 128 and the signal's number. */
const signalExitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

type StopSignal = keyof typeof signalExitCodes

/** Runs work that cleans up at a signal. The process then ends with `outcome` as its message. */
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
