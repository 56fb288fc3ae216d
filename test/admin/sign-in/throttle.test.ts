import { expect, test } from 'bun:test'
import { ApiError } from '../../../src/admin/api-error.ts'
import { counted, createLimits, createThrottle } from '../../../src/admin/sign-in/limits.ts'
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
  throttle.release('a')
  for (let at = 0; at < 2; at++) throttle.take('a')
  expect(() => throttle.take('a')).toThrow('Too many attempts')
  throttle.release('a')
  throttle.take('a')
  expect(() => throttle.take('a')).toThrow('Too many attempts')
})

test('guesses at an account stay counted, however many others are guessed at from many networks', async () => {
  const limits = createLimits(() => 1_000_000)
  let guesses = 0
  let address = ''
  /** A wrong guess; each address has as many as it may. Gives the reason of the refusal. */
  const guess = async (account: string): Promise<unknown> => {
    const number = Math.floor(guesses++ / 10)
    address = `10.${number >> 8}.${number & 255}.1`
    const facts = { addressOf: () => address, isSecure: () => false }
    const source = { request: new Request('http://localhost'), account }
    const wrong = () => Promise.reject(new Error('wrong'))
    return counted({ limits, facts }, source, wrong).catch((error) => error.reason ?? error.message)
  }
  for (let time = 0; time < 20; time++) expect(await guess('victim')).toBe('wrong')
  expect(await guess('victim')).toBe('too_many_requests')
  for (let other = 0; other < 45_000; other++) await guess(`stranger ${other}`)
  expect(await guess('victim')).toBe('too_many_requests')
  // An address that has guessed too often is remembered as well.
  guesses = 0
  expect(await guess('another victim')).toBe('too_many_requests')
})

test('right sign-ins are no guesses: they leave an address all of its own', async () => {
  const limits = createLimits(() => 1_000_000)
  const facts = { addressOf: () => '192.0.2.7', isSecure: () => false }
  const request = new Request('http://localhost')
  const enter = (account: string, work: () => Promise<unknown>) =>
    counted({ limits, facts }, { request, account }, work)
  for (let at = 0; at < 30; at++) await enter('one', async () => 'in')
  for (let at = 0; at < 10; at++)
    await expect(enter('two', () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong')
  await expect(enter('two', async () => 'in')).rejects.toThrow('Too many attempts')
})

test('a subscriber’s network is one address', () => {
  expect(addressKey('2001:db8:1:2::1')).toBe(addressKey('2001:db8:1:2:ffff::9'))
  expect(addressKey('2001:db8:1:2::1')).not.toBe(addressKey('2001:db8:1:3::1'))
  expect(addressKey('::ffff:192.0.2.1')).toBe(addressKey('192.0.2.1'))
  expect(addressKey('192.0.2.1')).not.toBe(addressKey('192.0.2.2'))
  expect(addressKey('')).toBe('')
})
