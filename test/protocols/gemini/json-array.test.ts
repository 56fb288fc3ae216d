import { describe, expect, test } from 'bun:test'
import { createJsonArraySplitter } from '../../../src/protocols/gemini/json-array.ts'
import { createGeminiObserver } from '../../../src/protocols/gemini/observe.ts'
import { byteByByte, cutAtRandom, fixture, split } from '../feeding.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('the streamed JSON array', () => {
  const bytes = fixture('gemini/streamed-array.json')
  const elements: unknown[] = JSON.parse(decode(bytes))

  test('gives its elements and all its bytes, whole or cut anywhere', () => {
    const ways = [[bytes], byteByByte(bytes)]
    for (let seed = 1; seed <= 100; seed++) ways.push(cutAtRandom(bytes, seed, 30))
    for (const way of ways) {
      const result = split(createJsonArraySplitter(), way)
      expect(result.frames.map(({ data }) => JSON.parse(data))).toEqual(elements)
      expect(result.bytes).toEqual(bytes)
    }
  })

  test('an element goes out as soon as its last brace is there', () => {
    const splitter = createJsonArraySplitter()
    expect(decode(splitter.push(encode('[{"a":1')).whole)).toBe('')
    expect(decode(splitter.push(encode('}')).whole)).toBe('[{"a":1}')
    expect(decode(splitter.push(encode('\n,{"a":2}\n')).whole)).toBe('\n,{"a":2}')
    expect(decode(splitter.push(encode(']\n')).whole)).toBe('\n]\n')
  })

  test('brackets, quotes and escapes inside strings are text', () => {
    const text = '[{"a":"\\"}]\\\\"},{"b":[{"c":"{["}]}]'
    const { frames } = split(createJsonArraySplitter(), byteByByte(encode(text)))
    expect(frames.map(({ data }) => JSON.parse(data))).toEqual(JSON.parse(text))
  })

  test('a body that is one object is one frame', () => {
    const text = ' {"error":{"code":503,"message":"no"}}\n'
    const { frames, bytes: out } = split(createJsonArraySplitter(), byteByByte(encode(text)))
    expect(frames.map(({ data }) => data)).toEqual([text.trim()])
    expect(decode(out)).toBe(text)
  })

  test('garbage and torn arrays pass unchanged', () => {
    for (const text of ['', '[]', '[1,"a",null]', ']]}}', 'not json', '[{"a":1},{"b":', '"[{}]"']) {
      const { bytes: out } = split(createJsonArraySplitter(), byteByByte(encode(text)))
      expect(decode(out)).toBe(text)
    }
  })

  test('beyond the limit bytes pass on without a frame, and the next element is framed again', () => {
    const text = `[{"a":"${'x'.repeat(200)}"},{"b":1}]`
    for (const longest of [1, 9, 64]) {
      const way = cutAtRandom(encode(text), 3, longest)
      const { frames, bytes: out } = split(createJsonArraySplitter(50), way)
      expect(decode(out)).toBe(text)
      expect(frames.map(({ data }) => data)).toEqual(['{"b":1}'])
    }
  })

  test('its elements tell an observer what SSE would', () => {
    const observer = createGeminiObserver()
    const { frames } = split(createJsonArraySplitter(), [bytes])
    for (const { data, event } of frames) observer.push(data, event)
    expect(observer.seen.phase).toBe('closing')
    expect(observer.seen.outcome).toBe('incomplete')
    expect(observer.seen.usage).toMatchObject({ inputTokens: 4, outputTokens: 3 })
  })
})
