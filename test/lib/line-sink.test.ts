import { expect, test } from 'bun:test'
import { createLineSink, withoutColors } from '../../src/lib/line-sink.ts'
import { createLogger } from '../../src/lib/log.ts'

/** A stdout whose reader can stall. */
function createStream() {
  const written: string[] = []
  const unread: (() => void)[] = []
  const state = { isStalled: false, read: () => unread.splice(0).map((done) => done()) }
  const stream = {
    on: () => stream,
    write(text: string, done: () => void) {
      written.push(text)
      if (state.isStalled) unread.push(done)
      else done()
      return true
    },
  }
  return { written, stream: stream as unknown as NodeJS.WriteStream, state }
}
const aWhileMs = 60_000

test('lines of one turn go out together', async () => {
  const { written, stream } = createStream()
  const sink = createLineSink(stream)
  sink.write('one')
  sink.write('two')
  expect(written).toEqual([])
  await new Promise((resolve) => setImmediate(resolve))
  expect(written).toEqual(['one\ntwo\n'])
  sink.write('three')
  await sink.flush(aWhileMs)
  expect(written.join('')).toBe('one\ntwo\nthree\n')
})

test('a reader that is far behind loses lines, and is told how many', async () => {
  const { written, stream, state } = createStream()
  const sink = createLineSink(stream)
  state.isStalled = true
  sink.write('long'.repeat(3_000_000))
  expect(await sink.flush(0)).toBe(false)
  sink.write('lost')
  sink.write('lost too')
  state.isStalled = false
  state.read()
  sink.write('kept')
  expect(await sink.flush(aWhileMs)).toBe(true)
  const [, ...behind] = written
  expect(behind.join('')).toBe('{"level":"warn","message":"log lines lost","count":2}\nkept\n')
  sink.write('told once')
  expect(await sink.flush(aWhileMs)).toBe(true)
  expect(written.at(-1)).toBe('told once\n')
})

test('lines of several processes in one pipe stay whole, however slow its reader is', async () => {
  const one = `"${process.execPath}" "${import.meta.dir}/noisy-process.ts"`
  const all = Bun.spawn(['sh', '-c', `${one} a 100 & ${one} b 100 & ${one} c 100 & wait`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of all.stdout) {
    text += decoder.decode(chunk, { stream: true })
    await Bun.sleep(1)
  }
  const lines = text.trimEnd().split('\n')
  expect(lines).toHaveLength(15_000)
  const broken = lines.filter((line) => !/^\{"text":"(a{900}|b{900}|c{900})"\}$/.test(line))
  expect(broken).toEqual([])
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
