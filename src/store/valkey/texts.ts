import type { SharedTexts } from '../ports/counters.ts'
import type { Link } from './link.ts'
import { dropScript } from './scripts.ts'

/** Counted from its last use, in milliseconds: as long as a binding in memory. */
const textMs = 3_600_000

/** Short texts by name, which are forgotten an hour after their last use. */
export function sharedTexts(
  { run, send }: Pick<Link, 'run' | 'send'>,
  prefix: string,
): SharedTexts {
  const keyOf = (name: string) => `${prefix}:text:${name}`
  return {
    async get(name) {
      const found = await send('GETEX', [keyOf(name), 'PX', String(textMs)])
      return typeof found === 'string' ? found : undefined
    },
    async set(name, text) {
      await send('SET', [keyOf(name), text, 'PX', String(textMs)])
    },
    async drop(name, beginning) {
      await run(dropScript, [keyOf(name)], [beginning])
    },
  }
}
