import { describe, expect, test } from 'bun:test'
import { allDialects } from '../../e2e/dialects.ts'
import { createHeadReader, createRequestReader, describeRequest } from './requests.ts'

const head = (path: string, ...lines: string[]) =>
  `POST ${path} HTTP/1.1\r\nHost: gw\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`
const two =
  head('/v1/messages', 'content-length: 4') +
  '{"ä"' +
  head('/v1/chat/completions', 'Transfer-Encoding: chunked') +
  '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n' +
  head('/third')

/** What is found of bytes that come in pieces of one size. */
function read(text: string, size: number, create = createRequestReader) {
  const found: string[] = []
  const push = create(({ method, path }, body) => found.push(`${method} ${path} ${body}`))
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size))
  return found
}

describe('requests', () => {
  test.each([1, 2, 7, 10_000])('are found one behind the other, in pieces of %i bytes', (size) => {
    expect(read(two, size)).toEqual([
      expect.stringContaining('POST /v1/messages {"'),
      'POST /v1/chat/completions hello',
      'POST /third ',
    ])
  })

  test.each([1, 10_000])('a head alone is found, once, in pieces of %i bytes', (size) => {
    expect(read(two, size, createHeadReader)).toEqual(['POST /v1/messages '])
  })
})

describe.each(allDialects)('a request of $name', (dialect) => {
  test.each([true, false])('says what it asks for; streamed: %s', (isStreamed) => {
    const path = dialect.path(isStreamed)
    const body = Buffer.from(JSON.stringify(dialect.request(isStreamed)))
    const place = { connection: 3, turn: 1 }
    const described = describeRequest({ method: 'POST', path, headers: new Headers() }, body, place)
    expect(described).toMatchObject({
      ...{ protocol: dialect.name, model: 'test-model', isStreamed, connection: 3, turn: 1 },
    })
  })
})

test('a path of no protocol is of none', () => {
  const headers = new Headers()
  const place = { connection: 0, turn: 0 }
  const described = describeRequest({ method: 'GET', path: '/x', headers }, Buffer.alloc(0), place)
  expect([described.protocol, described.model, described.isStreamed]).toEqual([
    undefined,
    undefined,
    false,
  ])
})
