import { expect, test } from 'bun:test'
import { createAnswerReader } from './answer-reader.ts'

const chunked =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n' +
  'a\r\ndata: one\n\n\r\n14\r\ndata: 2\n\ndata: 3\n\n\r\n0\r\n\r\n'
const measured = 'HTTP/1.1 503 No\r\nContent-Length: 4\r\n\r\nno\n\n'

test.each([1, 2, 3, 7, 50, 1000])('an answer is whole with its last piece of %i bytes', (size) => {
  for (const [text, status, events] of [
    [chunked, 200, 3],
    [measured, 503, 1],
  ] as const) {
    const reader = createAnswerReader()
    for (const again of [1, 2]) {
      const bytes = Buffer.from(text)
      const whole: boolean[] = []
      for (let at = 0; at < bytes.length; at += size) {
        whole.push(reader.push(bytes.subarray(at, at + size)))
      }
      expect([again, whole.indexOf(true)]).toEqual([again, whole.length - 1])
      expect(reader.status()).toBe(status)
      expect(reader.events()).toBe(events)
      reader.clear()
    }
  }
})
