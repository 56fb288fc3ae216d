import { expect, test } from 'bun:test'
import { findGrowth } from './judge.ts'
import { levelOf, type Sample } from './watch.ts'

/** Half an hour, with a sample every second. */
const samples = (residentMb: (minute: number) => number): Sample[] =>
  Array.from({ length: 1_800 }, (_, second) => ({
    ...{ atMs: second * 1_000, residentBytes: residentMb(second / 60) * 1e6, ownBytes: 0 },
    ...{ fds: 0, reservations: 0, active: 0, told: undefined },
  }))
const judge = (residentMb: (minute: number) => number) =>
  findGrowth(levelOf(samples(residentMb)), 30)

test('memory that rises at first and then goes up and down is no leak', () => {
  expect(judge((minute) => 100 + Math.min(minute, 8) * 15 + 20 * Math.sin(minute * 9))).toEqual([])
})

test('memory that rises all the time is one', () => {
  const level = levelOf(samples((minute) => 150 + minute * 2 + 20 * Math.sin(minute * 9)))
  expect(level.slope).toBeWithin(1.8, 2.2)
  expect(level.lastMb - level.middleMb).toBeWithin(15, 25)
  expect(judge((minute) => 100 + minute * 2)).toHaveLength(1)
  expect(judge((minute) => 500 + minute * 8)).toHaveLength(1)
})

test('a short soak tells nothing of it', () => {
  expect(findGrowth(levelOf(samples((minute) => minute * 100)), 1)).toEqual([])
})
