import { expect, test } from 'bun:test'
import { withExactCalls } from '../../../src/protocols/canonical/json-text.ts'

const big = '12345678901234567890'
const written = (text: string) => JSON.stringify(withExactCalls(JSON.parse(text), text))
const encode = (text: string) => new TextEncoder().encode(text)

test.each([
  `{"content":[{"type":"tool_use","input":{"ids":[${big},-${big},1],"deep":{"id":${big}}}}]}`,
  `{"parts":[{"functionCall":{"name":"f","args":{"id":${big}}}}]}`,
  `{"parts":[{"functionResponse":{"name":"f","response":{"id":${big}}}}]}`,
  `{"tool_calls":[{"function":{"arguments":{"id":${big}}}}]}`,
  `{"note":", ${big}","content":[{"type":"tool_use","input":{"text":": ${big}","id":${big}}}]}`,
])('calls keep every digit: %s', (text) => {
  expect(written(text)).toBe(text)
  expect(JSON.stringify(withExactCalls(JSON.parse(text), encode(text)))).toBe(text)
})

test('wherever in a body the digits are', () => {
  for (let before = 0; before < 40; before++) {
    for (const digits of ['1234567890123456', big, `-${big}`, '9'.repeat(64)]) {
      const text = `{"x":"${'é'.repeat(before)}","args":{"id":${digits}}}`
      expect(JSON.stringify(withExactCalls(JSON.parse(text), encode(text)))).toBe(text)
    }
  }
})

test('settings stay numbers, whatever they are', () => {
  const text = `{"seed":${big},"input":[{"type":"message","input":${big}}],"args":{"id":${big}}}`
  const body = withExactCalls(JSON.parse(text), text)
  expect(body.seed).toBe(Number(big))
  expect(body.input).toEqual([{ type: 'message', input: Number(big) }])
})

test('without long numbers the body is the very same', () => {
  for (const text of ['{"args":{"id":123456789012345}}', '{"x":[1.5,"123456789012345"]}', '{}']) {
    const body = JSON.parse(text)
    expect(withExactCalls(body, text)).toBe(body)
    expect(withExactCalls(body, encode(text))).toBe(body)
  }
})

test('what is nested too deep is left to those who refuse it', () => {
  const text = `{"x":${'['.repeat(5000)}${big}${']'.repeat(5000)}}`
  const body = JSON.parse(text)
  expect(withExactCalls(body, text)).toBe(body)
})
