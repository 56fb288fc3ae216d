import { expect, test } from 'bun:test'
import { idKey, pageOf } from '../../src/admin/paging.ts'

const order = { keyOf: idKey }

const rows = (...ids: number[]) => ids.map((id) => ({ id }))
const same = (row: { readonly id: number }) => row

test('rows that come or go between two pages shift nothing', () => {
  const first = pageOf(rows(1, 2, 9, 10, 11), { page_size: 2 }, order, same)
  expect([first.items, first.page, first.total]).toEqual([rows(1, 2), 1, 5])
  const cursor = first.next ?? ''
  const second = pageOf(rows(2, 3, 9, 10, 11), { page_size: 2, cursor }, order, same)
  expect([second.items, second.page]).toEqual([rows(3, 9), 2])
  const last = pageOf(rows(10, 11), { page_size: 2, cursor: second.next ?? '' }, order, same)
  expect([last.items, last.page, last.next]).toEqual([rows(10, 11), 3, null])
})

test('rows are sorted by what they have, equal ones by their keys, and those without a value are last', () => {
  const all = [
    [1, 5],
    [2, null],
    [3, 30],
    [4, 5],
  ].map(([id, size]) => ({ id: id ?? 0, size: size ?? null }))
  const bySize = { keyOf: idKey, sorts: { size: ({ size }: (typeof all)[number]) => size } }
  const idsOf = (sort: string) => {
    const ids: number[] = []
    let cursor: string | undefined
    do {
      const page = pageOf(all, { page_size: 1, sort, ...(cursor && { cursor }) }, bySize, same)
      ids.push(...page.items.map(({ id }) => id))
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    return ids
  }
  expect(idsOf('size')).toEqual([1, 4, 3, 2])
  expect(idsOf('-size')).toEqual([3, 1, 4, 2])
})

test('a page behind the last row is empty', () => {
  const { next } = pageOf(rows(1, 2), { page_size: 1 }, order, same)
  expect(pageOf([], { cursor: next ?? '' }, order, same)).toMatchObject({ items: [], next: null })
})

test.each(['nonsense', '5', 'bnVsbA'])('%s is no cursor, and the refusal says so', (cursor) => {
  expect(() => pageOf(rows(1), { cursor }, order, same)).toThrow(
    expect.objectContaining({ reason: 'invalid_value' }),
  )
})

test('of very many rows the number is told to 10,000', () => {
  const { total, total_is_exact } = pageOf(
    Array.from({ length: 10_001 }, (_, id) => ({ id })),
    {},
    order,
    same,
  )
  expect([total, total_is_exact]).toEqual([10_000, false])
})
