import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../src/lib/cache-options.ts'

test('a cache holds so many entries, those that were used last', () => {
  const cache = new LRUCache<string, number>(entryLimit(2))
  cache.set('a', 1).set('b', 2)
  cache.get('a')
  cache.set('c', 3)
  expect([...cache.keys()].sort()).toEqual(['a', 'c'])
})

test('a cache goes on to hold so many entries when it was emptied', () => {
  const cache = new LRUCache<number, number>(entryLimit(3))
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at < 10; at++) cache.set(at, round)
    expect([...cache]).toEqual([9, 8, 7].map((at) => [at, round]))
    cache.clear()
    expect(cache.size).toBe(0)
  }
})

test('an empty cache takes no memory for what it may hold', () => {
  const used = () => {
    Bun.gc(true)
    return heapStats().heapSize
  }
  const before = used()
  const cache = new LRUCache<string, number>({ ...entryLimit(1_000_000), ttl: 1000 })
  expect(used() - before).toBeLessThan(1_000_000)
  expect(cache.size).toBe(0)
})
