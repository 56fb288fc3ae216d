import { expect, test } from 'bun:test'
import type { LimitWaiter } from '../../../src/gateway/limits/limit-queues.ts'
import { count, windowMs } from '../../../src/gateway/limits/sliding-window.ts'
import { createTallies } from '../../../src/gateway/limits/tally.ts'
import { createFakeTime, subject } from './limit-scene.ts'

const key = (id: number) => subject('token', { rpm: 1 }, id, 'key')

function createScene() {
  const time = createFakeTime()
  const tallies = createTallies<LimitWaiter>(time.tick, time.repeat)
  const countOne = (id: number) => {
    const tally = tallies.of(key(id))
    if (tally) count(tally.window, 1, 10, time.tick())
    return tally
  }
  return { ...time, tallies, countOne }
}

test('a million subjects that came once are all forgotten', () => {
  const { tallies, countOne, pass, timers } = createScene()
  for (let id = 0; id < 1_000_000; id++) countOne(id)
  expect(tallies.size()).toBe(1_000_000)
  pass(windowMs)
  pass(70_000)
  expect([tallies.size(), timers()]).toEqual([0, 0])
})

test('those that come and go all the time are as many as came lately', () => {
  const { tallies, countOne, pass } = createScene()
  let most = 0
  for (let id = 0; id < 300_000; id++) {
    countOne(id)
    if (id % 100 === 0) pass(100)
    most = Math.max(most, tallies.size())
  }
  // 1,000 a second, for a minute and until they are found.
  expect(most).toBeLessThan(100 * 1000)
})

test('each look goes through a small part of them', () => {
  const { tallies, countOne, jump } = createScene()
  for (let id = 0; id < 12_000; id++) countOne(id)
  jump(windowMs)
  expect(tallies.size()).toBe(11_900)
})

test('what still counts, lasts or is waited for is kept', () => {
  const { tallies, countOne, pass } = createScene()
  const [lasting, waiting] = [countOne(1), countOne(2)]
  if (!lasting || !waiting) throw new Error('not counted')
  lasting.open = 1
  waiting.expected = 1
  pass(3_600_000)
  countOne(3)
  pass(30_000)
  expect([1, 2, 3].map((id) => tallies.of(key(id)) === [lasting, waiting][id - 1])).toEqual([
    true,
    true,
    false,
  ])
  expect(tallies.size()).toBe(3)
  lasting.open = 0
  waiting.expected = 0
  pass(100_000)
  expect(tallies.size()).toBe(0)
})
