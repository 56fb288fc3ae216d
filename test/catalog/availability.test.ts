import { describe, expect, test } from 'bun:test'
import {
  addCounts,
  availabilityOf,
  bucketStart,
  emptyCounts,
  firstByteBounds,
  firstBytePlace,
  firstByteQuantile,
  isEmpty,
  requestsOf,
  tokensPerSecond,
  windowStart,
} from '../../src/catalog/availability.ts'
import type { AvailabilityCounts } from '../../src/store/ports/availability.ts'

const counts = (changes: Partial<AvailabilityCounts> = {}): AvailabilityCounts => ({
  ...emptyCounts(),
  ...changes,
})

/** Counts of answers that began after so many milliseconds. */
function timed(...timesMs: number[]): AvailabilityCounts {
  const made = emptyCounts()
  for (const time of timesMs) {
    const place = firstBytePlace(time)
    made.firstByte[place] = (made.firstByte[place] ?? 0) + 1
  }
  return made
}

describe('availability', () => {
  test('is null without requests, and never 1 by default', () => {
    expect(availabilityOf(counts())).toBeNull()
    expect(availabilityOf(counts({ failed: { client: 7 } }))).toBeNull()
  })

  test('counts failures of the channel, the model, the upstream and the gateway, and no others', () => {
    const all = counts({
      succeeded: 6,
      failed: { client: 100, channel: 1, model: 1, upstream: 1, gateway: 1 },
    })
    expect(requestsOf(all)).toBe(10)
    expect(availabilityOf(all)).toBe(0.6)
  })

  test('is 1 only when none failed, however few of very many did', () => {
    expect(availabilityOf(counts({ succeeded: 5 }))).toBe(1)
    expect(availabilityOf(counts({ succeeded: 100_000_000, failed: { model: 1 } }))).toBe(0.999999)
    expect(availabilityOf(counts({ failed: { gateway: 1 } }))).toBe(0)
  })
})

describe('counts', () => {
  test('what was added and is taken away again leaves nothing', () => {
    const sum = emptyCounts()
    const one = counts({ ...timed(20, 900), succeeded: 2, failed: { client: 1 }, firstByteMs: 920 })
    addCounts(sum, one)
    expect(isEmpty(sum)).toBe(false)
    addCounts(sum, one, -1)
    expect(isEmpty(sum)).toBe(true)
    expect(sum).toEqual({ ...emptyCounts(), failed: { client: 0 } })
  })

  test('those of a store may have fewer places', () => {
    const sum = emptyCounts()
    addCounts(sum, counts({ succeeded: 1, firstByte: [0, 1] }))
    expect(sum.firstByte).toEqual([0, 1, ...new Array(firstByteBounds.length - 1).fill(0)])
  })
})

describe('time to the first byte', () => {
  test.each([
    [0, 0],
    [50, 0],
    [50.1, 1],
    [300_000, firstByteBounds.length - 1],
    [300_001, firstByteBounds.length],
    [Number.POSITIVE_INFINITY, firstByteBounds.length],
  ])('%d ms is counted at place %d', (timeMs, place) => {
    expect(firstBytePlace(timeMs)).toBe(place)
  })

  test('is null without answers', () => {
    expect(firstByteQuantile(counts({ succeeded: 3 }), 0.5)).toBeNull()
  })

  test('lies between the bounds of the place that holds it', () => {
    const answers = timed(...new Array(90).fill(300), ...new Array(10).fill(4_000))
    expect(firstByteQuantile(answers, 0.45)).toBe(300)
    expect(firstByteQuantile(answers, 0.9)).toBe(400)
    expect(firstByteQuantile(answers, 0.95)).toBe(3_750)
    expect(firstByteQuantile(answers, 1)).toBe(5_000)
  })

  test('ends at the last bound', () => {
    expect(firstByteQuantile(timed(1e9), 0.5)).toBe(300_000)
  })

  test('never falls as the part grows', () => {
    const answers = timed(10, 60, 60, 350, 800, 2_000, 9_000, 9_000, 400_000)
    const parts = Array.from({ length: 101 }, (_, i) => firstByteQuantile(answers, i / 100) ?? -1)
    expect(parts).toEqual(parts.toSorted((a, b) => a - b))
  })
})

test('speed is tokens by time, to a tenth, and null where nothing was timed', () => {
  expect(tokensPerSecond(counts({ outputTokens: 1_000, generationMs: 30_000 }))).toBe(33.3)
  expect(tokensPerSecond(counts({ outputTokens: 1_000 }))).toBeNull()
  expect(tokensPerSecond(counts({ generationMs: 5 }))).toBeNull()
})

test('windows are whole buckets, the present one included', () => {
  const now = Date.parse('2026-11-21T08:07:30.123Z')
  const iso = (time: number) => new Date(time).toISOString()
  expect(iso(bucketStart('minute', now))).toBe('2026-11-21T08:07:00.000Z')
  expect(iso(windowStart('5m', now))).toBe('2026-11-21T08:03:00.000Z')
  expect(iso(windowStart('1h', now))).toBe('2026-11-21T07:08:00.000Z')
  expect(iso(windowStart('24h', now))).toBe('2026-11-20T09:00:00.000Z')
  expect(iso(windowStart('7d', now))).toBe('2026-11-15T00:00:00.000Z')
  expect(iso(windowStart('90d', now))).toBe('2026-08-24T00:00:00.000Z')
})
