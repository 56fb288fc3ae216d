import { expect, test } from 'bun:test'
import type { Candidate } from '../../src/catalog/catalog.ts'
import { createExcess } from '../../src/gateway/excess.ts'

const hourMs = 3_600_000
const candidate = (id: number, upstreamModel = 'm') =>
  ({ channel: { id }, upstreamModel }) as unknown as Candidate
const charged = (accountId: number, channelId: number, amountNano: number) => ({
  ...{ accountId, channelId, amountNano },
  upstreamModel: 'm',
})

function atHours() {
  const time = { hours: 0 }
  return { time, excess: createExcess(() => time.hours * hourMs) }
}

test('what came as reckoned, or cheaper, changes nothing', () => {
  const { excess } = atHours()
  excess.note(charged(1, 1, 100), 100)
  excess.note(charged(1, 1, 0), 100)
  excess.note(charged(1, 1, 0), 0)
  expect(excess.of(1, [candidate(1)], 100)).toBe(0)
})

test('what turned out dearer is known of its account, and of the model on its channel', () => {
  const { excess } = atHours()
  excess.note(charged(1, 2, 500), 100)
  expect(excess.of(1, [candidate(9)], 100)).toBe(400)
  expect(excess.of(9, [candidate(7), candidate(2)], 100)).toBe(400)
  expect(excess.of(9, [candidate(7), candidate(2, 'other')], 100)).toBe(0)
})

test('a smaller request may turn out as many times as dear, a larger one by as much', () => {
  const { excess } = atHours()
  excess.note(charged(1, 2, 500), 100)
  expect(excess.of(1, [], 10)).toBe(40)
  expect(excess.of(1, [], 1_000_000)).toBe(400)
})

test('a tiny request of a stranger’s does not make all others of its model cost a thousand times as much', () => {
  const { excess } = atHours()
  excess.note(charged(1, 2, 30_000), 30)
  expect(excess.of(9, [candidate(2)], 2_000_000_000)).toBe(29_970)
})

test('it is halved each hour, and forgotten in the end', () => {
  const { excess, time } = atHours()
  excess.note(charged(1, 2, 500), 100)
  time.hours = 1
  expect(excess.of(1, [], 100)).toBe(200)
  time.hours = 2
  excess.note(charged(1, 2, 150), 100) // less than what is known still
  expect(excess.of(1, [], 100)).toBe(100)
  time.hours = 20
  expect(excess.of(1, [], 100)).toBe(0)
})

test('one absurd answer does not shut its account out', () => {
  const { excess } = atHours()
  excess.note(charged(1, 2, 1e15), 1)
  expect(excess.of(1, [], 1)).toBe(999)
  expect(excess.of(9, [], Number.POSITIVE_INFINITY)).toBe(0)
})
