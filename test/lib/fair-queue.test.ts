import { expect, test } from 'bun:test'
import { createFairQueue } from '../../src/lib/concurrency.ts'

test('owners take turns, however many of one wait', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item)
  queue.add('b', 'b1')
  queue.add('c', 'c1')
  queue.add('b', 'b2')
  queue.remove('a', 'a3')
  queue.remove('c', 'none')
  const order = Array.from({ length: 8 }, () => queue.next())
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a4', undefined, undefined])
})
