import { expect, test } from 'bun:test'
import { createProgress } from '../../src/cli/progress.ts'

/** A stream that keeps what is written to it. */
function createStream(isTTY: boolean) {
  const written: string[] = []
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 }
  return { written, stream: stream as unknown as NodeJS.WriteStream }
}

test('on a terminal: one line that changes now and then, and is gone at the end', () => {
  const { written, stream } = createStream(true)
  const progress = createProgress(stream)
  progress.show('1 row')
  progress.show('2 rows')
  progress.done()
  expect(written).toEqual(['\r\x1b[K1 row …', '\r\x1b[K'])
})

test('elsewhere: nothing at all from what is over soon', () => {
  const { written, stream } = createStream(false)
  const progress = createProgress(stream)
  progress.show('1 row')
  progress.done()
  expect(written).toEqual([])
})
