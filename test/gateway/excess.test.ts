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
  expect(excess.of(1, [candidate(1)])).toBe(1)
})

test('what turned out dearer is known of its account, and of the model on its channel', () => {
  const { excess } = atHours()
  excess.note(charged(1, 2, 500), 100)
  expect(excess.of(1, [candidate(9)])).toBe(5)
  expect(excess.of(9, [candidate(7), candidate(2)])).toBe(5)
  expect(excess.of(9, [candidate(7), candidate(2, 'other')])).toBe(1)
})

test('it is halved each hour, and forgotten in the end', () => {
  const { excess, time } = atHours()
  excess.note(charged(1, 2, 500), 100)
  time.hours = 1
  expect(excess.of(1, [])).toBe(3)
  time.hours = 2
  excess.note(charged(1, 2, 150), 100) // less than what is known still
  expect(excess.of(1, [])).toBe(2)
  time.hours = 20
  expect(excess.of(1, [])).toBe(1)
})

test('one absurd answer does not shut its account out', () => {
  const { excess } = atHours()
  excess.note(charged(1, 2, 1e15), 1)
  expect(excess.of(1, [])).toBe(1_000)
})
