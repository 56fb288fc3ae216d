import { expect, test } from 'bun:test'
import { createReader } from './reader.ts'
import { closing, createEventWriter, opening } from './wire.ts'

/** What a reader makes of an answer that comes in pieces of so many bytes, a millisecond apart. */
function read(bytes: Uint8Array, size: number) {
  const sent: number[] = []
  const gaps: number[] = []
  const reader = createReader({
    event: (sentUs) => sent.push(sentUs),
    gap: (missing) => gaps.push(missing),
  })
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size), at)
  return { reader, sent, gaps }
}

function answer(numbers: readonly number[], last: Uint8Array = closing): Uint8Array {
  const write = createEventWriter()
  const events = numbers.map((number) => Buffer.from(write(number, 1_795_000_000_000_000 + number)))
  return Buffer.concat([opening, ...events, last])
}

test.each([1, 2, 7, 100, 199, 200, 1_000_000])('events come in pieces of %i bytes', (size) => {
  const { reader, sent, gaps } = read(answer([4, 5, 6, 7]), size)
  expect(sent).toEqual([4, 5, 6, 7].map((number) => 1_795_000_000_000_000 + number))
  expect(gaps).toEqual([])
  expect([reader.isWhole(), reader.hasError(), reader.status()]).toEqual([
    true,
    false,
    'HTTP/1.1 200 OK',
  ])
})

test.each([1, 1_000_000])('what is missing or comes twice is told, pieces of %i', (size) => {
  expect(read(answer([1, 2, 5, 6]), size).gaps).toEqual([2])
  expect(read(answer([1, 2, 2, 3]), size).gaps).toEqual([-1])
  expect(read(answer([1, 3, 2, 4]), size).gaps).toEqual([1, -2, 1])
})

test('a stream that breaks off, or ends with an error, is not whole', () => {
  const bytes = answer([1, 2])
  expect(read(bytes.subarray(0, -1), 50).reader.isWhole()).toBeTrue() // its very last line end
  expect(read(bytes.subarray(0, -5), 50).reader.isWhole()).toBeFalse()
  expect(read(answer([1], Buffer.from('0\r\n\r\n')), 50).reader.isWhole()).toBeFalse()
  const error = 'data: {"error":{"message":"no"}}\n\n'
  const chunk = `${error.length.toString(16)}\r\n${error}\r\n0\r\n\r\n`
  const { reader } = read(answer([1], Buffer.from(chunk)), 50)
  expect([reader.isWhole(), reader.hasError()]).toEqual([false, true])
})
