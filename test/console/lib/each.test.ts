import { expect, test } from 'bun:test'
import { doEach } from '../../../src/console/lib/each.ts'

const items = [1, 2, 3, 4, 5, 6]

test('what fails stops none of the others, and is named with its error', async () => {
  const error = new Error('refused')
  const steps: number[] = []
  const work = async (item: number) => {
    if (item % 2 === 0) throw error
  }
  const came = await doEach(items, work, { atOnce: 2, onStep: (ended) => steps.push(ended) })
  expect(came.done).toEqual([1, 3, 5])
  expect(came.failed).toEqual([2, 4, 6].map((item) => ({ item, error })))
  expect(steps).toEqual(items)
})

test('no more than so many run concurrently, and none begins after a stop', async () => {
  const stop = new AbortController()
  let running = 0
  let most = 0
  const work = async (item: number) => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    if (item === 3) stop.abort()
    running--
  }
  const { done, failed } = await doEach(items, work, { atOnce: 2, signal: stop.signal })
  expect(most).toBe(2)
  expect(done.at(-1)).toBeLessThan(6)
  expect(failed).toEqual([])
})
