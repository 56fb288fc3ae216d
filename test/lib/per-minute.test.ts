import { expect, test } from 'bun:test'
import { createPerMinute } from '../../src/lib/rate.ts'

function scene() {
  let now = 5_000
  let count = 7
  const perMinute = createPerMinute(
    () => count,
    () => now,
  )
  return {
    perMinute,
    /** So many come, then time passes; tells what is said at its end. */
    pass(more: number, ms: number) {
      count += more
      now += ms
      return perMinute()
    },
  }
}

test('what came before it began does not count', () => {
  const { perMinute, pass } = scene()
  expect(perMinute()).toBe(0)
  expect(pass(3, 10)).toBe(3)
})

test('what is older than a minute is forgotten', () => {
  const { pass } = scene()
  expect(pass(10, 5_000)).toBe(10)
  for (let at = 0; at < 10; at++) expect(pass(1, 5_000)).toBe(11 + at)
  expect(pass(1, 5_000)).toBe(21)
  expect(pass(0, 5_000)).toBe(11)
  expect(pass(0, 55_000)).toBe(0)
})

test('looking at it often changes nothing', () => {
  const { pass } = scene()
  for (let at = 0; at < 6_000; at++) pass(1, 10)
  expect(pass(0, 0)).toBeWithin(5_900, 6_001)
  expect(pass(0, 30_000)).toBeWithin(2_900, 3_001)
})
