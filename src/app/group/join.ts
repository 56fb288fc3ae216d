import { type FromChild, type LivingWorker, readToChild, type ToChild } from './messages.ts'
import type { ChildRole } from './role.ts'

/** What a child does when it hears of the starter. */
export interface ChildHandlers {
  /** Drain: by the starter's word, or SIGTERM to this worker alone. It comes at most once. */
  onStop(): void
  /** Skip the waiting of a stop. */
  onHurry(): void
  /** The starter is gone. Take nothing new, finish what is delivered: the process ends after 5 s. */
  onStarterGone(): void
  /** Keeper: read the configuration again. */
  onReload?(): void
  /** Keeper: all workers that live, first after `join`, then at each change. */
  onWorkers?(living: readonly LivingWorker[]): void
  /** Keeper: all workers have ended. */
  onFinish?(): void
}

/** A child's side of its process group. */
export interface Group {
  readonly role: ChildRole
  say(message: FromChild): void
  /** Gives handlers what has come, and from now on what comes. To be called once. */
  follow(handlers: ChildHandlers): void
}

/** Time for what is delivered when the starter is gone. */
const lastMs = 5_000

/** Makes this process a child of its group; to be called before anything is awaited. */
export function joinGroup(role: ChildRole): Group {
  const waiting: ((to: ChildHandlers) => void)[] = []
  let hear = (what: (to: ChildHandlers) => void): unknown => waiting.push(what)
  let isStopping = false

  function stop(): void {
    if (isStopping) return
    isStopping = true
    hear((to) => to.onStop())
  }

  function take(message: ToChild): void {
    if (message.kind === 'stop') stop()
    else if (message.kind === 'hurry') hear((to) => to.onHurry())
    else if (message.kind === 'reload') hear((to) => to.onReload?.())
    else if (message.kind === 'workers') hear((to) => to.onWorkers?.(message.living))
    else hear((to) => to.onFinish?.())
  }

  process.on('message', (message: unknown) => {
    const known = readToChild(message)
    if (known) take(known)
  })
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), lastMs).unref()
    hear((to) => to.onStarterGone())
  })
  // A terminal and a service manager signal all processes of a group: the starter has the word.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('SIGTERM', role.role === 'worker' ? stop : () => {})
  say({ kind: 'joined' })

  function say(message: FromChild): void {
    try {
      process.send?.(message)
    } catch (error) {
      // `disconnect` follows.
      if ((error as { code?: unknown }).code !== 'ERR_IPC_CHANNEL_CLOSED') throw error
    }
  }

  return {
    role,
    say,
    follow(handlers) {
      hear = (what) => what(handlers)
      for (const what of waiting.splice(0)) what(handlers)
    },
  }
}
