import { expect, test } from 'bun:test'
import { idKey, pageOf } from '../../src/admin/paging.ts'

const rows = (...ids: number[]) => ids.map((id) => ({ id }))
const same = (row: { readonly id: number }) => row

test('rows that come or go between two pages shift nothing', () => {
  const first = pageOf(rows(1, 2, 9, 10, 11), { page_size: 2 }, idKey, same)
  expect([first.items, first.page, first.total]).toEqual([rows(1, 2), 1, 5])
  const cursor = first.next ?? ''
  const second = pageOf(rows(2, 3, 9, 10, 11), { page_size: 2, cursor }, idKey, same)
  expect([second.items, second.page]).toEqual([rows(3, 9), 2])
  const last = pageOf(rows(10, 11), { page_size: 2, cursor: second.next ?? '' }, idKey, same)
  expect([last.items, last.page, last.next]).toEqual([rows(10, 11), 3, null])
})

test('a page behind the last row is empty', () => {
  const { next } = pageOf(rows(1, 2), { page_size: 1 }, idKey, same)
  expect(pageOf([], { cursor: next ?? '' }, idKey, same)).toMatchObject({ items: [], next: null })
})

test.each(['nonsense', '5', 'bnVsbA'])('%s is no cursor, and the refusal says so', (cursor) => {
  expect(() => pageOf(rows(1), { cursor }, idKey, same)).toThrow(
    expect.objectContaining({ reason: 'invalid_value' }),
  )
})

test('of very many rows the number is told to 10,000', () => {
  const { total, total_is_exact } = pageOf(
    Array.from({ length: 10_001 }, (_, id) => ({ id })),
    {},
    idKey,
    same,
  )
  expect([total, total_is_exact]).toEqual([10_000, false])
})
