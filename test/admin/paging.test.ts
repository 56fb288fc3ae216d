import { expect, test } from 'bun:test'
import { answerPage, withSearch } from '../../src/admin/paging.ts'
import { BadCursor, ListsBusy } from '../../src/store/ports/lists.ts'

const page = { rows: [1], total: 1, totalIsExact: false, next: 'on', searchedBackTo: 0 }

test('a list whose search took too long says how far it looked, and how to go on', async () => {
  const first = withSearch(await answerPage({}, async () => page, String))
  expect(first).toEqual({
    ...{ items: ['1'], total: 1, total_is_exact: false, page: 1, page_size: 50, next: '2.on' },
    searched_back_to: '1970-01-01T00:00:00.000Z',
  })
  const asked: unknown[] = []
  const read = async (wanted: unknown) => {
    asked.push(wanted)
    return { ...page, next: null, searchedBackTo: null }
  }
  const second = withSearch(await answerPage({ cursor: '2.on', page_size: 10 }, read, String))
  expect([second.page, second.next, second.searched_back_to]).toEqual([2, null, null])
  expect(asked).toEqual([{ size: 10, cursor: 'on' }])
})

test('a list that is too busy is refused for some seconds, a foreign cursor for good', async () => {
  const reading = (error: Error) => answerPage({}, () => Promise.reject(error), String)
  await expect(reading(new ListsBusy('busy'))).rejects.toMatchObject({
    ...{ reason: 'unavailable', details: { retryAfterSeconds: 2 } },
  })
  await expect(reading(new BadCursor('x'))).rejects.toMatchObject({
    ...{ reason: 'invalid_value', details: { field: 'cursor' } },
  })
  const other = new Error('the disk is gone')
  await expect(reading(other)).rejects.toBe(other)
})
