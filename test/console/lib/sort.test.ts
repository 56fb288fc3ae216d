import { expect, test } from 'bun:test'
import { nextSort, sortItems } from '../../../src/console/lib/sort.ts'

test('a click sorts names from the first on and figures from the highest on; the third leads back', () => {
  const turns = (column: Parameters<typeof nextSort>[0], usual?: string) => {
    const seen: (string | undefined)[] = [undefined]
    do seen.push(nextSort(column, seen.at(-1), usual))
    while (seen.at(-1) !== undefined)
    return seen.slice(1, -1)
  }
  expect(turns({ sort: 'name' })).toEqual(['name', '-name'])
  expect(turns({ sort: 'cost', isFigure: true })).toEqual(['-cost', 'cost'])
  // What is so already is turned round at once.
  expect(turns({ sort: 'time' }, '-time')).toEqual(['time'])
  expect(nextSort({ sort: 'time' }, '-name', '-time')).toBe('time')
})

test('numbers are sorted as numbers, texts as the API sorts them, and what has no value is last either way', () => {
  const sorted = (values: readonly (string | number | null)[], isDescending = false) =>
    sortItems(values, (value) => value, isDescending)
  expect(sorted([10, null, 9, 2.5])).toEqual([2.5, 9, 10, null])
  expect(sorted([10, null, 9, 2.5], true)).toEqual([10, 9, 2.5, null])
  expect(sorted(['ä', 'model-10', 'Model-2', 'model-1'])).toEqual([
    'Model-2',
    'model-1',
    'model-10',
    'ä',
  ])
})
