import { expect, test } from 'bun:test'
import { createPartProgress, describePart } from '../../src/cli/progress.ts'

test.each([
  [
    { part: 'requests', done: 340_000, total: 1_000_000 },
    4_000,
    'requests: 340,000 of 1,000,000, 85,000/s, 8 s left',
  ],
  [
    { part: 'requests', done: 1_000, total: 100_000_000 },
    1_000,
    'requests: 1,000 of 100,000,000, 1,000/s, 1,667 min left',
  ],
  [{ part: 'requests', done: 0, total: 5 }, 9_000, 'requests: 0 of 5'],
  [{ part: 'requests', done: 3, total: 5 }, 10, 'requests: 3 of 5'],
  [{ part: 'requests', done: 7, total: 5 }, 1_000, 'requests: 5 of 5, 7/s, 0 s left'],
  [{ part: 'the file', done: 0, total: 0 }, 5_000, 'the file'],
])('%j after %i ms', (part, elapsedMs, text) => {
  expect(describePart(part, elapsedMs)).toBe(text)
})

test('the rate of each part is its own', () => {
  const shown: string[] = []
  let now = 0
  const show = createPartProgress({ show: (text) => shown.push(text), done() {} }, () => now)
  show({ part: 'requests', done: 0, total: 100 })
  now = 10_000
  show({ part: 'requests', done: 100, total: 100 })
  show({ part: 'attempts', done: 0, total: 100 })
  now = 11_000
  show({ part: 'attempts', done: 50, total: 100 })
  expect(shown.at(1)).toBe('requests: 100 of 100, 10/s, 0 s left')
  expect(shown.at(-1)).toBe('attempts: 50 of 100, 50/s, 1 s left')
})
