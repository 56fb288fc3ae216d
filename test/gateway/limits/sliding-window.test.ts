import { describe, expect, test } from 'bun:test'
import {
  count,
  createWindow,
  expire,
  fits,
  graceMs,
  passingOf,
  roomAt,
  roomBehind,
  type SlidingWindow,
  takeBack,
  windowMs,
} from '../../../src/gateway/limits/sliding-window.ts'

const lengthOf = (window: SlidingWindow) => passingOf(window).length

test('few requests are few entries, and any number of them at most some 600', () => {
  const window = createWindow()
  for (let at = 0; at < 5; at++) count(window, 1, 10, at * 1000)
  expect(lengthOf(window)).toBe(5)
  let now = 5000
  let most = 0
  for (let at = 0; at < 500_000; at++) {
    now += (at % 7) * 0.2
    expire(window, now)
    count(window, 1, 10, now)
    if (at % 1000 === 0) most = Math.max(most, lengthOf(window))
  }
  expect(window.requests).toBeGreaterThan(90_000)
  expect(window.llmTokens).toBe(window.requests * 10)
  expect(most).toBeGreaterThan(580)
  expect(most).toBeLessThanOrEqual(windowMs / 100 + 2)
})

test('each request counts for a minute at least, and little longer', () => {
  const window = createWindow()
  const cameAt = [0, 99, 100, 150, 4000, 4099, 4100]
  for (const now of cameAt) count(window, 1, 0, now)
  for (const came of cameAt) {
    const earlier = cameAt.filter((other) => other < came).length
    expire(window, came + 60_000)
    expect(window.requests).toBeGreaterThanOrEqual(cameAt.length - earlier)
    const later = cameAt.filter((other) => other > came).length
    const after = structuredClone(window)
    expire(after, came + 60_000 + graceMs)
    expect(after.requests).toBeLessThanOrEqual(later)
  }
})

test('what is empty counts nothing, also after a long time', () => {
  const window = createWindow()
  count(window, 1, 5, 0)
  expire(window, 1e9)
  expect(window).toEqual(createWindow())
  count(window, 1, 5, 1e9)
  expect(lengthOf(window)).toBe(1)
})

test('what is taken back is taken from where it was counted, and never twice', () => {
  const window = createWindow()
  const first = count(window, 1, 50, 0)
  const second = count(window, 1, 50, 1000)
  takeBack(window, first, 0, 20)
  expect(window).toMatchObject({ requests: 2, llmTokens: 80 })
  expire(window, windowMs)
  takeBack(window, first, 1, 30)
  expect(window).toMatchObject({ requests: 1, llmTokens: 50 })
  takeBack(window, second, 1, 50)
  takeBack(window, second, 1, 50)
  expect(window).toMatchObject({ requests: 0, llmTokens: 0 })
})

describe('when there is room', () => {
  const filled = () => {
    const window = createWindow()
    for (const at of [0, 1000, 2000]) count(window, 1, 40, at)
    return window
  }

  test.each([
    [120, 40, 160, 3000],
    [120, 40, 159, windowMs],
    [120, 40, 120, windowMs],
    [120, 40, 119, windowMs + 1000],
    [120, 40, 40, windowMs + 2000],
    [120, 500, 100, windowMs + 2000],
    [130, 40, 160, windowMs],
    [200, 40, 40, undefined],
    [130, 500, 100, undefined],
  ])('%d used, %d more of %d', (used, amount, limit, at) => {
    expect(roomAt(filled(), 'llmTokens', { used, amount, limit }, 3000)).toBe(at as number)
  })

  test('behind others each enters as soon as it fits', () => {
    const behind = (...amounts: number[]) =>
      roomBehind(passingOf(filled()), amounts, { rpm: null, tpm: 120 }, 3000)
    expect(behind(40)).toBe(windowMs)
    expect(behind(40, 40)).toBe(windowMs + 1000)
    expect(behind(40, 30, 10)).toBe(windowMs + 1000)
    expect(behind(40, 80)).toBe(windowMs + 2000)
    expect(behind(40, 80, 1)).toBe(2 * windowMs)
    expect(behind(500, 1)).toBe(2 * windowMs + 2000)
    expect(behind(40, 40, 40, 40, 40, 40, 40)).toBe(3 * windowMs)
  })

  test('behind others each waits for the limit that is the harder one for it', () => {
    const behind = (...amounts: number[]) =>
      roomBehind(passingOf(filled()), amounts, { rpm: 3, tpm: 120 }, 3000)
    expect(behind(1)).toBe(windowMs)
    expect(behind(1, 1, 1)).toBe(windowMs + 2000)
    expect(behind(1, 1, 1, 1)).toBe(2 * windowMs)
    expect(behind(120, 1)).toBe(2 * windowMs + 2000)
    expect(behind(120, 1, 1, 1)).toBe(2 * windowMs + 2000)
    expect(behind(120, 1, 1, 1, 1)).toBe(3 * windowMs + 2000)
  })
})

test('more than the limit fits only where nothing is', () => {
  expect([fits(0, 5, 4), fits(1, 5, 4), fits(0, 4, 4), fits(1, 4, 4), fits(9, 0, 4)]).toEqual([
    true,
    false,
    true,
    false,
    false,
  ])
})
