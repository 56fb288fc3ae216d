import { describe, expect, test } from 'bun:test'
import { formatDurationMark } from '../../../src/console/lib/format.ts'

describe('marks beside a scale of times', () => {
  for (const marks of [
    [0, 0.5, 1, 1.5, 2],
    [0, 250, 500, 750, 1000],
    [0, 1000, 1250, 1500],
    [0, 50_000, 100_000],
  ]) {
    test(`never read alike: ${marks.join(', ')} ms`, () => {
      const shown = marks.map(formatDurationMark).filter((mark) => mark !== '')
      expect(new Set(shown).size).toBe(shown.length)
      expect(shown.length).toBeGreaterThan(2)
    })
  }
})
