import { countProcessors } from '../../lib/process-state.ts'

interface Machine {
  readonly platform: string
  /** May be a fraction. */
  readonly processors: number
}

/** Beyond them the keeper is what limits. */
const mostOfAuto = 64

/**
 * How many workers to start for `server.workers`; 1: this process does all. `warning`: the machine can't do what
 * was asked.
 */
export function countWorkers(
  asked: number | 'auto',
  { platform, processors }: Machine = {
    platform: process.platform,
    processors: countProcessors(),
  },
): { readonly workers: number; readonly warning?: string } {
  const isAuto = asked === 'auto'
  const workers = isAuto ? Math.min(Math.floor(processors) - 1, mostOfAuto) : asked
  if (workers <= 1) return { workers: 1 }
  if (platform === 'linux') return { workers }
  if (isAuto) return { workers: 1 }
  const warning =
    `server.workers is ${asked}, but only Linux shares a port between processes: one process does ` +
    'all. Write auto or 1.'
  return { workers: 1, warning }
}
