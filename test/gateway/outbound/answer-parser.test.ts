import { expect, test } from 'bun:test'
import { AnswerInvalid, AnswerParser } from '../../../src/gateway/outbound/answer-parser.ts'

/** What comes of an answer that arrives in pieces of so many bytes. */
function parse(text: string, pieceBytes: number) {
  const heads: [number, Record<string, string>][] = []
  const parser = new AnswerParser({
    headCame({ status, headers }) {
      const fields: Record<string, string> = {}
      headers.forEach((value, name) => {
        fields[name] = value
      })
      heads.push([status, fields])
    },
  })
  const bytes = Buffer.from(text)
  let body = ''
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    body += Buffer.from(parser.push(Buffer.from(bytes.subarray(at, at + pieceBytes)))).toString()
  }
  const isDone = parser.isDone
  return { heads, body, isDone, mayStay: parser.mayStay, isWhole: isDone || parser.end() }
}

const head = (more: string, status = '200 OK') => `HTTP/1.1 ${status}\r\n${more}\r\n`
const chunked = 'transfer-encoding: chunked\r\n'

const cases: readonly (readonly [string, string, object])[] = [
  ['a length', `${head('content-length: 5\r\n')}hello`, { body: 'hello', mayStay: true }],
  ['no bytes', head('content-length: 0\r\n'), { body: '', mayStay: true }],
  [
    'chunks, one with an extension, and a trailer',
    `${head(chunked)}2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nx-t: 1\r\n\r\n`,
    { body: 'hello', isDone: true, mayStay: true },
  ],
  ['chunks without their end', `${head(chunked)}5\r\nhello\r\n`, { body: 'hello', isWhole: false }],
  [
    'what ends with its connection',
    `${head('')}hello`,
    { body: 'hello', isDone: false, isWhole: true },
  ],
  [
    'less than its length',
    `${head('content-length: 9\r\n')}hello`,
    { body: 'hello', isWhole: false },
  ],
  ['more than its length', `${head('content-length: 2\r\n')}hello`, { body: 'he', mayStay: false }],
  ['a last answer', `${head('connection: close\r\ncontent-length: 2\r\n')}he`, { mayStay: false }],
  ['older HTTP', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nhe', { body: 'he', mayStay: false }],
  [
    'a long line, which is not looked at again with each piece',
    `${head(`x-long: ${'y'.repeat(100_000)}\r\ncontent-length: 2\r\n`)}he`,
    { body: 'he', mayStay: true },
  ],
  ['no content', head('', '204 No Content'), { isDone: true, mayStay: true }],
  [
    'interim answers before it, and lines that end in LF',
    'HTTP/1.1 103 Early\r\nlink: </x>\r\n\r\nHTTP/1.1 201 Made\nX-A: 1\nx-a: 2\ncontent-length: 2\n\nhe',
    { heads: [[201, { 'content-length': '2', 'x-a': '1, 2' }]], body: 'he' },
  ],
]

test.each(cases)('%s, in pieces of any size', (_name, text, expected) => {
  for (const pieceBytes of [1, 2, 7, 1_000]) expect(parse(text, pieceBytes)).toMatchObject(expected)
})

test.each<[string, string, number?]>([
  ['another protocol', '220 mail.example ESMTP'],
  ['a length that is none', head('content-length: many\r\n')],
  ['two lengths', head('content-length: 1\r\ncontent-length: 2\r\n')],
  ['a chunk without a size', `${head(chunked)}hello\r\n`],
  ['a chunk that is longer than it says', `${head(chunked)}2\r\nhello\r\n`],
  ['a head of too many lines', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}\r\n`],
  ['a head of too many lines, each by itself', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(300)}`, 6],
  ['a line that is too long', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(3_000_000)}`],
])('%s is no answer', (_name, text, pieceBytes = 100_000) => {
  expect(() => parse(text, pieceBytes)).toThrow(AnswerInvalid)
})
