import { describe, expect, test } from 'bun:test'
import { createAnswerReader } from '../../../../src/console/pages/playground/answer-reader.ts'
import { dialects } from '../../../e2e/dialects.ts'

const tokens = { input: 1, output: 2 }
const protocols = Object.values(dialects)

describe('an answer of the playground', () => {
  test.each(protocols)('of $name is read from a stream, however it is cut', (dialect) => {
    const stream =
      dialect.first(tokens) +
      ['你好 ', '<b>🦜</b>'].map((piece) => dialect.piece(piece)).join('') +
      dialect.last(tokens)
    for (const size of [1, 7, stream.length]) {
      const reader = createAnswerReader(dialect.name, true)
      for (let at = 0; at < stream.length; at += size) reader.push(stream.slice(at, at + size))
      reader.end()
      expect(reader.read()).toEqual({ text: '你好 <b>🦜</b>', error: undefined })
    }
  })

  test.each(protocols)('of $name is read whole', (dialect) => {
    const reader = createAnswerReader(dialect.name, false)
    reader.push(JSON.stringify(dialect.body(tokens)))
    expect(reader.read().text).toBe('')
    reader.end()
    expect(reader.read()).toEqual({ text: 'hello', error: undefined })
  })

  test.each([
    ['chat', false, '{"error":{"message":"no such model","code":"x"}}', 'no such model'],
    ['messages', true, 'data: {"type":"error","error":{"message":"overloaded"}}\n\n', 'overloaded'],
    [
      'responses',
      true,
      'data: {"type":"response.failed","response":{"error":{"message":"bad"}}}\n\n',
      'bad',
    ],
    ['gemini', false, '[]', undefined],
    ['gemini', false, '{"code":404,"reason":"not_found","message":"no token"}', 'no token'],
    ['chat', false, 'not JSON', undefined],
  ] as const)('of %s tells its error (stream: %p): %s', (protocol, isStream, sent, error) => {
    const reader = createAnswerReader(protocol, isStream)
    reader.push(sent)
    reader.end()
    expect(reader.read()).toEqual({ text: '', error })
  })
})
