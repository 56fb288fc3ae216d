import { describe, expect, test } from 'bun:test'
import { graceMs } from '../../../src/gateway/limits/sliding-window.ts'
import { createSeeded } from '../../protocols/translation/seeded.ts'
import { createLimitScene, type Entering, subject } from './limit-scene.ts'

describe('Retry-After', () => {
  test.each(Array.from({ length: 200 }, (_, seed) => seed))(
    'whoever waits so long and is alone is let in, and not a second earlier (seed %d)',
    async (seed) => {
      const random = createSeeded(seed)
      const { ask, pass, settled } = createLimitScene()
      const limits = () => ({ rpm: random.pick([null, 1, 5, 30]), tpm: random.pick([50, 300]) })
      const subjects = (['token', 'account', 'group'] as const).map((kind) =>
        subject(kind, limits()),
      )
      let refused: Entering['refused']
      let size = 0
      while (refused === undefined) {
        size = random.pick([1, 10, 40, 90])
        const entering = ask(subjects, size)
        await settled()
        if (random.once(4)) entering.permit?.used(random.pick([0, size, size + 60]))
        refused = entering.refused
        if (!refused) pass(random.pick([0, 50, 1000, 7000]))
      }
      const seconds = refused.details.retryAfter ?? 0
      expect(seconds).toBeGreaterThanOrEqual(1)
      pass((seconds - 1) * 1000)
      if (seconds > 1) expect(ask(subjects, size).refused?.details.retryAfter).toBe(1)
      pass(1000)
      const again = ask(subjects, size)
      pass(graceMs + 10)
      await settled()
      expect(again.permit).toBeDefined()
    },
  )

  test.each(Array.from({ length: 50 }, (_, seed) => seed))(
    'also behind a queue (seed %d)',
    async (seed) => {
      const random = createSeeded(seed)
      const { ask, pass, settled } = createLimitScene()
      const key = [subject('token', { rpm: random.pick([1, 3, 20]), tpm: random.pick([50, 300]) })]
      const sizes = [1, 10, 40, 90]
      for (let count = random.below(40); count > 0; count--) {
        ask(key, random.pick(sizes), 3_600_000)
        pass(random.pick([0, 0, 90, 5000]))
      }
      const size = random.pick(sizes)
      const { refused } = ask(key, size)
      if (!refused) return
      const seconds = refused.details.retryAfter ?? 0
      if (seconds > 1) {
        pass((seconds - 1) * 1000)
        expect(ask(key, size).refused).toBeDefined()
      }
      // A beat late for each round of waiting.
      pass(1000 + Math.ceil(seconds / 60) * 10)
      const again = ask(key, size)
      pass(graceMs + 10)
      await settled()
      expect(again.permit).toBeDefined()
    },
  )
})
