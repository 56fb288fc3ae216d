import { expect, test } from 'bun:test'
import type { Candidate } from '../../src/catalog/catalog.ts'
import { createOverruns } from '../../src/gateway/money/reservations.ts'

const hourMs = 3_600_000
const candidate = (id: number, upstreamModel = 'm') =>
  ({ channel: { id }, upstreamModel }) as unknown as Candidate
const charged = (accountId: number, channelId: number, amountNano: number) => ({
  ...{ accountId, channelId, amountNano },
  upstreamModel: 'm',
})

function atHours() {
  const time = { hours: 0 }
  const excess = createOverruns(() => time.hours * hourMs)
  /** Notes what it tells, if anything. */
  const note = (request: ReturnType<typeof charged>, mostNano: number) => {
    const overrun = excess.overrunOf(request, mostNano)
    if (overrun) excess.note(overrun)
    return overrun
  }
  return { time, excess, note }
}

test('what came as reckoned, or cheaper, changes nothing', () => {
  const { excess, note } = atHours()
  note(charged(1, 1, 100), 100)
  note(charged(1, 1, 0), 100)
  note(charged(1, 1, 0), 0)
  expect(excess.of(1, [candidate(1)], 100)).toBe(0)
})

test('what turned out dearer is known of its account, and of the model on its channel', () => {
  const { excess, note } = atHours()
  note(charged(1, 2, 500), 100)
  expect(excess.of(1, [candidate(9)], 100)).toBe(400)
  expect(excess.of(9, [candidate(7), candidate(2)], 100)).toBe(400)
  expect(excess.of(9, [candidate(7), candidate(2, 'other')], 100)).toBe(0)
})

test('a smaller request may turn out as many times as dear, a larger one by as much', () => {
  const { excess, note } = atHours()
  note(charged(1, 2, 500), 100)
  expect(excess.of(1, [], 10)).toBe(40)
  expect(excess.of(1, [], 1_000_000)).toBe(400)
})

test('a tiny request of a stranger’s does not make all others of its model cost a thousand times as much', () => {
  const { excess, note } = atHours()
  note(charged(1, 2, 30_000), 30)
  expect(excess.of(9, [candidate(2)], 2_000_000_000)).toBe(29_970)
})

test('it is halved each hour, and forgotten in the end', () => {
  const { excess, note, time } = atHours()
  note(charged(1, 2, 500), 100)
  time.hours = 1
  expect(excess.of(1, [], 100)).toBe(200)
  time.hours = 2
  note(charged(1, 2, 150), 100) // less than what is known still
  expect(excess.of(1, [], 100)).toBe(100)
  time.hours = 20
  expect(excess.of(1, [], 100)).toBe(0)
})

test('one absurd answer does not shut its account out', () => {
  const { excess, note } = atHours()
  note(charged(1, 2, 1e15), 1)
  expect(excess.of(1, [], 1)).toBe(999)
  expect(excess.of(9, [], Number.POSITIVE_INFINITY)).toBe(0)
})

test('what is known already, or hardly more than that, is no news', () => {
  const { excess, note, time } = atHours()
  expect(note(charged(1, 2, 500), 100)).toEqual({
    ...{ accountId: 1, channelId: 2, upstreamModel: 'm' },
    ...{ factor: 5, byNano: 400 },
  })
  expect(note(charged(1, 2, 500), 100)).toBeUndefined()
  expect(note(charged(1, 2, 503), 100)).toBeUndefined()
  expect(excess.of(1, [], 100)).toBe(400)
  expect(note(charged(1, 2, 510), 100)).toMatchObject({ factor: 5.1 })
  // By more, though less often as much; of an account that nothing is known of; after a while.
  expect(note(charged(1, 2, 2_000), 1_000)).toMatchObject({ factor: 2, byNano: 1_000 })
  expect(note(charged(9, 2, 200), 100)).toMatchObject({ accountId: 9 })
  time.hours = 1
  expect(note(charged(1, 2, 2_000), 1_000)).toMatchObject({ byNano: 1_000 })
})

test('what another node tells is known as if it had been seen here, whatever it says', () => {
  const { excess, note } = atHours()
  const told = { accountId: 1, channelId: 2, upstreamModel: 'm' }
  excess.note({ ...told, factor: 5, byNano: 400 })
  expect(excess.of(1, [], 100)).toBe(400)
  expect(excess.of(9, [candidate(2)], 100)).toBe(400)
  expect(note(charged(1, 2, 500), 100)).toBeUndefined()
  excess.note({ ...told, factor: 1e300, byNano: 1e300 })
  expect(excess.of(1, [], 1)).toBe(999)
  excess.note({ ...told, factor: 1, byNano: 0 })
  expect(excess.of(1, [], 1)).toBe(999)
})
