import { expect, test } from 'bun:test'
import { createLineSink, withoutColors } from '../../src/cli/log-sink.ts'
import { createLogger } from '../../src/lib/log.ts'

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

test.each([
  ['a terminal', { isTTY: true }, {}, true],
  ['a file', {}, {}, false],
  ['a terminal without colours', { isTTY: true }, { NO_COLOR: '1' }, false],
  ['a terminal whose NO_COLOR is empty', { isTTY: true }, { NO_COLOR: '' }, true],
])(
  'lines for people have their colours on %s only if it shows them',
  (_, stream, env, isColored) => {
    const lines: string[] = []
    const write = withoutColors((line) => lines.push(line), stream, env)
    createLogger({ sink: write, pretty: true, clock: () => 0, level: 'info' }).warn('hot', { a: 1 })
    const colored = '00:00:00.000 \x1b[33mwarn \x1b[0m hot \x1b[2ma=\x1b[0m1'
    expect(lines).toEqual([isColored ? colored : '00:00:00.000 warn  hot a=1'])
  },
)
