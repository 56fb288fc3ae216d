import { expect, test } from 'bun:test'
import { hasEmptyItems } from '../../../src/gateway/body/native-body.ts'
import { emptyParts } from '../../../src/protocols/gemini/facts.ts'

const said = { role: 'user', parts: [{ text: 'hello' }] }
const nothing = { role: 'model', parts: [{}, {}] }

test.each([
  ['none', { contents: [said, { parts: [{ functionCall: { name: 'f', args: {} } }] }] }, []],
  [
    'one beside others',
    { contents: [said, { role: 'model', parts: [{}, { text: 'a' }, {}] }] },
    [
      ['contents', 1, 'parts', 0],
      ['contents', 1, 'parts', 2],
    ],
  ],
  ['nothing else in a content', { contents: [said, nothing] }, [['contents', 1]]],
  ['nothing else at all', { contents: [nothing, nothing] }, []],
  [
    'one in a content alone',
    { contents: { parts: [{}, { text: 'a' }] } },
    [['contents', 'parts', 0]],
  ],
  ['nothing in a content alone', { contents: nothing }, []],
  [
    'the system’s',
    {
      contents: [said],
      system_instruction: { parts: [{}] },
      systemInstruction: { parts: [{}, {}] },
    },
    [['systemInstruction'], ['system_instruction']],
  ],
  ['no parts, no contents', { contents: [{ role: 'user' }, 5, { parts: 'x' }] }, []],
] as const)('%s', (_, body, paths) => {
  expect(emptyParts(body)).toEqual(paths as never)
})

test.each([
  ['{"parts":[{}]}', true],
  ['{"parts": [{"text": "a"}, {}]}', true],
  ['{"parts":[\n    {}\n]}', true],
  ['{"args":{},"parameters": {}}', false],
  ['[]', false],
])('%s has an empty item: %p', (text, expected) => {
  expect(hasEmptyItems(Buffer.from(text))).toBe(expected)
})

test('a body that is full of them is not looked through here', () => {
  const text = '{"args":{}}'.repeat(10_000)
  expect(hasEmptyItems(Buffer.from(`[${text}]`))).toBe(false)
  expect(hasEmptyItems(Buffer.from(`[${text}{"args":{}}]`))).toBe(true)
})
