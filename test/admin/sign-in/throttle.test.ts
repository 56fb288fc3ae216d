import { expect, test } from 'bun:test'
import { ApiError } from '../../../src/admin/api-error.ts'
import { createThrottle } from '../../../src/admin/sign-in/limits.ts'
import { addressKey } from '../../../src/lib/addresses.ts'

test('so many at once, then one in so much time; each key by itself', () => {
  let now = 1_000_000
  const throttle = createThrottle({ clock: () => now, burst: 3, everyMs: 10_000 })
  const wait = (key = 'a') => {
    try {
      throttle.take(key)
      return 0
    } catch (error) {
      return error instanceof ApiError ? error.details.retryAfterSeconds : error
    }
  }
  expect([wait(), wait(), wait(), wait(), wait('b')]).toEqual([0, 0, 0, 10, 0])
  now += 4_500
  expect(wait()).toBe(6)
  now += 5_500
  expect([wait(), wait()]).toEqual([0, 10])
  now += 3_600_000
  expect([wait(), wait(), wait(), wait()]).toEqual([0, 0, 0, 10])
})

test('what is given back can be taken again, and no more than that', () => {
  const throttle = createThrottle({ clock: () => 5, burst: 2, everyMs: 10 })
  throttle.giveBack('a')
  for (let at = 0; at < 2; at++) throttle.take('a')
  expect(() => throttle.take('a')).toThrow('Too many attempts')
  throttle.giveBack('a')
  throttle.take('a')
  expect(() => throttle.take('a')).toThrow('Too many attempts')
})

test('a subscriber’s network is one address', () => {
  expect(addressKey('2001:db8:1:2::1')).toBe(addressKey('2001:db8:1:2:ffff::9'))
  expect(addressKey('2001:db8:1:2::1')).not.toBe(addressKey('2001:db8:1:3::1'))
  expect(addressKey('::ffff:192.0.2.1')).toBe(addressKey('192.0.2.1'))
  expect(addressKey('192.0.2.1')).not.toBe(addressKey('192.0.2.2'))
  expect(addressKey('')).toBe('')
})
