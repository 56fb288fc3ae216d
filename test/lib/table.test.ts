import { expect, test } from 'bun:test'
import { formatPairs, formatTable, harmless, printable } from '../../src/lib/table.ts'

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
  expect(printable('\u009b31m\u007f\r\t')).toBe('\\u009b31m\\u007f\\r\\t')
  expect(printable('a\u202eb\u2066\u200f')).toBe('a\\u202eb\\u2066\\u200f')
})

test('a text of several lines keeps them, and what it says', () => {
  expect(harmless('一\n\t👩‍🚀 é\u001b]0;x\u0007')).toBe('一\n\t👩‍🚀 é\\u001b]0;x\\u0007')
  const written = JSON.stringify({ a: '\u009b\u202e\u0007' })
  expect(JSON.parse(harmless(written))).toEqual(JSON.parse(written))
})
