import { expect, test } from 'bun:test'
import { wholeOf } from '../../../src/console/lib/whole.ts'

test.each([
  ['60', 60],
  [' 60 ', 60],
  ['1,000', 1000],
  ['1 000 000', 1_000_000],
  ['1,000,000', 1_000_000],
  ["1'000", 1000],
  ['-5', -5],
  ['', ''],
])('%p is the whole number %p', (typed, value) => {
  expect(wholeOf(typed)).toBe(value)
})

test.each(['-', '1.5', '1.000', '1,5', '10,00', '1e3', '5 apples', '9007199254740993'])(
  '%p is no whole number and stays as it is typed',
  (typed) => {
    expect(wholeOf(typed)).toBe(typed)
  },
)
