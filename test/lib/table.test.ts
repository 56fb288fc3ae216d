import { expect, test } from 'bun:test'
import { formatPairs, formatTable, printable } from '../../src/lib/table.ts'

test('columns align by the cells that characters take', () => {
  const columns = [
    { title: 'NAME', text: ([name]: readonly [string, number]) => name },
    { title: 'COUNT', text: ([, count]: readonly [string, number]) => String(count), right: true },
  ]
  const rows = [
    ['默认【官转】', 5],
    ['plain', 123_456],
  ] as const
  expect(formatTable(columns, rows)).toEqual([
    'NAME           COUNT',
    '默认【官转】       5',
    'plain         123456',
  ])
  expect(
    formatPairs([
      ['名', 'a'],
      ['name', 'b'],
    ]),
  ).toEqual(['名    a', 'name  b'])
})

test('control characters of a name do not reach the terminal', () => {
  expect(printable('a\u001b[31mb\nc')).toBe('a\\u001b[31mb\\nc')
})
