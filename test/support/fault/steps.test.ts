import { describe, expect, test } from 'bun:test'
import { chunk, cutAt, httpBytes, httpHead, stall } from './steps.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('the bytes of an answer', () => {
  test('a body of its length, JSON unless it says otherwise', () => {
    expect(text(httpBytes({ body: 'ä' }))).toBe(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\nä',
    )
  })

  test('any status and headers, in their order, doubles too', () => {
    const headers = [
      ['x-one', '1'],
      ['x-one', '2'],
    ] as const
    const bytes = httpBytes({ status: 529, type: null, headers, framing: 'none' })
    expect(text(bytes)).toBe('HTTP/1.1 529 Overloaded\r\nx-one: 1\r\nx-one: 2\r\n\r\n')
  })

  test('a length that lies, an older version, and one chunk', () => {
    expect(text(httpBytes({ body: 'abc', length: 5, version: '1.0', type: null }))).toBe(
      'HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nabc',
    )
    expect(text(httpBytes({ body: 'abc', framing: 'chunked', type: null }))).toBe(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    )
    expect(httpHead({ framing: 'close', type: null })).toBe('HTTP/1.1 200 OK\r\n\r\n')
  })

  test('chunks are counted in bytes', () => {
    expect(text(chunk('äöüäöüäö'))).toBe('10\r\näöüäöüäö\r\n')
  })
})

test('bytes are cut anywhere, inside of a sign too, from either end', () => {
  const cut = (at: number) => cutAt('aäb', at, stall).map((step) => 'bytes' in step && step.bytes)
  expect(cut(2)).toEqual([Uint8Array.of(0x61, 0xc3), false])
  expect(cut(-1)).toEqual([Uint8Array.of(0x61, 0xc3, 0xa4), false])
  expect(cut(0)).toEqual([new Uint8Array(0), false])
})
