import { expect, test } from 'bun:test'
import { usd } from '../../src/cli/format.ts'
import { createLineSink } from '../../src/cli/log-sink.ts'
import { formatPairs, formatTable, printable } from '../../src/cli/output.ts'

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

test('money has at least two decimals and all that count', () => {
  expect([0, 1, 100_000_000, 1_500_000_000, -2_000_000_000].map(usd)).toEqual([
    '0.00 USD',
    '0.000000001 USD',
    '0.10 USD',
    '1.50 USD',
    '-2.00 USD',
  ])
})

/** A stdout whose reader can be slow. */
function createStream() {
  const written: string[] = []
  const stream = Object.assign(new EventTarget(), {
    writableLength: 0,
    on: () => stream,
    write(text: string, done: () => void) {
      written.push(text)
      done()
      return true
    },
  })
  return { written, stream: stream as unknown as NodeJS.WriteStream, state: stream }
}

test('lines of one turn go out together', async () => {
  const { written, stream } = createStream()
  const sink = createLineSink(stream)
  sink.write('one')
  sink.write('two')
  expect(written).toEqual([])
  await new Promise((resolve) => setImmediate(resolve))
  expect(written).toEqual(['one\ntwo\n'])
  sink.write('three')
  await sink.flush()
  expect(written.join('')).toBe('one\ntwo\nthree\n')
})

test('a reader that is far behind loses lines, and is told how many', async () => {
  const { written, stream, state } = createStream()
  const sink = createLineSink(stream)
  state.writableLength = 100 * 1024 * 1024
  sink.write('lost')
  sink.write('lost too')
  state.writableLength = 0
  sink.write('kept')
  await sink.flush()
  expect(written.join('')).toBe('{"level":"warn","message":"log lines lost","count":2}\nkept\n')
})
