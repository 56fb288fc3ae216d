import type { Logger } from '../lib/log.ts'

/** The steps of a stop, one after the other, each within a time limit. */
export function createEnding(log: Logger) {
  const left: string[] = []
  let current: string | undefined

  return {
    /** Does a step within a time limit. A failure or timeout is logged, never thrown. */
    async step(what: string, work: () => unknown, limitMs: number): Promise<void> {
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
    /** The step under way, as a noun; undefined: none. */
    now: () => current,
    left: left as readonly string[],
  }
}
