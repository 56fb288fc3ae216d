import { describe, expect, test } from 'bun:test'
import { createRecentAttempts } from '../../src/app/counts.ts'

const minute = 60_000

describe('attempts of the last hour', () => {
  test('are counted by channel, failures beside them', () => {
    const recent = createRecentAttempts(() => 0)
    recent.record(1, false)
    recent.record(1, true)
    recent.record(2, false)
    expect(recent.of(1)).toEqual({ attempts: 2, failed: 1 })
    expect(recent.of(2)).toEqual({ attempts: 1, failed: 0 })
    expect(recent.of(3)).toEqual({ attempts: 0, failed: 0 })
  })

  test('are forgotten after it', () => {
    let now = 0
    const recent = createRecentAttempts(() => now)
    recent.record(1, true)
    now = 30 * minute
    recent.record(1, false)
    now = 59 * minute
    expect(recent.of(1)).toEqual({ attempts: 2, failed: 1 })
    now = 60 * minute
    expect(recent.of(1)).toEqual({ attempts: 1, failed: 0 })
    now = 1_000 * minute
    expect(recent.of(1)).toEqual({ attempts: 0, failed: 0 })
    recent.record(1, false)
    expect(recent.of(1)).toEqual({ attempts: 1, failed: 0 })
  })
})
