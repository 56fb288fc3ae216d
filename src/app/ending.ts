import type { Logger } from '../lib/log.ts'

/** The steps of a stop, one after the other, each within a time limit. */
export interface Ending {
  /** Does a step within a time limit. A failure or timeout is logged, never thrown. */
  step(what: string, work: () => unknown, limitMs: number): Promise<void>
  /** The step under way, as a noun; undefined: none. */
  now(): string | undefined
  readonly left: readonly string[]
}

export function createEnding(log: Logger): Ending {
  const left: string[] = []
  let current: string | undefined

  return {
    async step(what, work, limitMs) {
      current = what
      const late = Promise.withResolvers<'late'>()
      const timer = setTimeout(() => late.resolve('late'), limitMs)
      try {
        const ended = await Promise.race([Promise.try(work), late.promise])
        if (ended !== 'late') return
        log.error('the stop does not wait any longer', { for: what, limit_ms: Math.round(limitMs) })
        left.push(what)
      } catch (error) {
        log.error('a step of the stop has failed', { step: what, error: String(error) })
        left.push(what)
      } finally {
        clearTimeout(timer)
        current = undefined
      }
    },
    now: () => current,
    left,
  }
}
