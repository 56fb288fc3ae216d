import type { FromChild, LivingWorker, ToChild } from './messages.ts'
import type { ChildRole } from './role.ts'

/** What a child does when it hears of the starter. */
export interface ChildHandlers {
  /** Drain. `isReplaced`: another worker has the socket, so that nobody need be refused. Comes once. */
  readonly onStop: (isReplaced: boolean) => void
  /** Skip the waiting of a stop. */
  readonly onHurry: () => void
  /** The starter is gone. Take nothing new, finish what is delivered: the process ends after 5 s. */
  readonly onStarterGone: () => void
  /** Keeper: read the configuration again. */
  readonly onReload: () => void
  /** Keeper: all workers that live, first soon after it has joined, then at each change. */
  readonly onWorkers: (living: readonly LivingWorker[]) => void
  /** Keeper: all workers have ended, and no more will come. */
  readonly onFinish: () => void
}

/** A child's side of its group. */
export interface Group {
  readonly role: ChildRole
  say(message: FromChild): void
  /** Sets handlers, in the place of those before; what has come without one is handled now. */
  follow(handlers: Partial<ChildHandlers>): void
}

/** Time for what is delivered when the starter is gone. */
const lastMs = 5_000

/** Makes this process a child of its group; to be called before anything is awaited. */
export function joinGroup(role: ChildRole): Group {
  const handlers: { -readonly [Name in keyof ChildHandlers]?: ChildHandlers[Name] } = {}
  let waiting: (() => boolean)[] = []
  let isStopping = false

  function hear<Name extends keyof ChildHandlers>(
    name: Name,
    ...args: Parameters<ChildHandlers[Name]>
  ): void {
    const handle = () => {
      const handler = handlers[name] as ((...given: typeof args) => void) | undefined
      handler?.(...args)
      return handler !== undefined
    }
    if (!handle()) waiting.push(handle)
  }

  function stop(isReplaced: boolean): void {
    if (isStopping) return
    isStopping = true
    hear('onStop', isReplaced)
  }

  process.on('message', (message: ToChild) => {
    if (message.kind === 'stop') stop(message.isReplaced)
    else if (message.kind === 'hurry') hear('onHurry')
    else if (message.kind === 'reload') hear('onReload')
    else if (message.kind === 'workers') hear('onWorkers', message.living)
    else hear('onFinish')
  })
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), lastMs).unref()
    hear('onStarterGone')
  })
  // A terminal and a service manager signal all processes of a group: the starter has the word.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('SIGTERM', () => {
    if (role.role === 'worker') say({ kind: 'leaving' })
  })
  const say = (message: FromChild) => {
    try {
      process.send?.(message)
    } catch (error) {
      // `disconnect` follows.
      if ((error as { code?: unknown }).code !== 'ERR_IPC_CHANNEL_CLOSED') throw error
    }
  }
  say({ kind: 'joined' })
  return {
    role,
    say,
    follow(more) {
      Object.assign(handlers, more)
      waiting = waiting.filter((handle) => !handle())
    },
  }
}
