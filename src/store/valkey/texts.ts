import type { SharedTexts } from '../ports/counters.ts'
import type { Link } from './link.ts'
import { dropScript } from './scripts.ts'

/** As long as a binding in memory, in milliseconds. */
const usualMs = 3_600_000

/** Short texts by name, which are forgotten some time after their last use. */
export function sharedTexts(
  { run, send }: Pick<Link, 'run' | 'send'>,
  prefix: string,
): SharedTexts {
  const keyOf = (name: string) => `${prefix}:text:${name}`
  return {
    async get(name, keptMs = usualMs) {
      const found = await send('GETEX', [keyOf(name), 'PX', String(keptMs)])
      return typeof found === 'string' ? found : undefined
    },
    async set(name, text, keptMs = usualMs) {
      await send('SET', [keyOf(name), text, 'PX', String(keptMs)])
    },
    async drop(name, beginning) {
      await run(dropScript, [keyOf(name)], [beginning])
    },
  }
}
