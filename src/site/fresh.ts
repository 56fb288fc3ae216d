import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { createPublication, type Published } from './published.ts'

interface FreshParts {
  readonly name: string
  readonly build: () => Promise<string>
  /** What it is made of: when it is another, the document is made anew at once. */
  readonly madeOf: () => unknown
  readonly maxAgeMs: number
  readonly clock: Clock
  readonly log: Logger
}

export type Fresh = ReturnType<typeof createFresh>

/** A document that is rebuilt on request when too old, or of another state. */
export function createFresh({ name, build, madeOf, maxAgeMs, clock, log }: FreshParts) {
  const publication = createPublication({ name, build, clock, log })
  let madeAt = Number.NaN
  let source: unknown
  return {
    async current(): Promise<Published | undefined> {
      const ageMs = clock() - madeAt
      const isYoung = ageMs >= 0 && ageMs < maxAgeMs
      if (isYoung && source === madeOf()) {
        await publication.idle()
      } else {
        madeAt = clock()
        source = madeOf()
        await publication.refresh()
      }
      return publication.current()
    },
    idle: publication.idle,
  }
}
