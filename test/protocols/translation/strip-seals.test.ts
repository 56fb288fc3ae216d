import { expect, test } from 'bun:test'
import { wrapSignatures } from '../../../src/protocols/gemini/signature.ts'
import { sealPrefix } from '../../../src/protocols/translation/seal.ts'
import { stripSeals } from '../../../src/protocols/translation/strip-seals.ts'

const seal = `${sealPrefix}abc`

test.each([
  [
    'a block of messages',
    {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: seal },
            { type: 'redacted_thinking', data: seal },
            { type: 'thinking', thinking: 'Mine', signature: 'own' },
            { type: 'text', text: 'A' },
          ],
        },
      ],
    },
    {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Mine', signature: 'own' },
            { type: 'text', text: 'A' },
          ],
        },
      ],
    },
    ['messages[0].content[0]', 'messages[0].content[1]'],
  ],
  [
    'an item of responses',
    { input: [{ type: 'reasoning', summary: [], encrypted_content: seal }, { role: 'user' }] },
    { input: [{ role: 'user' }] },
    ['input[0]'],
  ],
  [
    'a detail of chat',
    { messages: [{ reasoning_details: [{ type: 'reasoning.encrypted', data: seal }] }] },
    { messages: [{ reasoning_details: [] }] },
    ['messages[0].reasoning_details[0]'],
  ],
  [
    'the signature of a call of gemini, which stays',
    { contents: [{ parts: [{ functionCall: { name: 'f' }, thoughtSignature: seal }] }] },
    { contents: [{ parts: [{ functionCall: { name: 'f' } }] }] },
    ['contents[0].parts[0].thoughtSignature'],
  ],
  [
    'an empty part of gemini',
    { contents: [{ parts: [{ text: 'A' }, { text: '', thoughtSignature: seal }] }] },
    { contents: [{ parts: [{ text: 'A' }] }] },
    ['contents[0].parts[1]'],
  ],
])('%s is left out and named', (_name, body, expected, dropped) => {
  expect(stripSeals(body)).toEqual({ body: expected, dropped })
})

test('a signature of gemini, which must be base64, is known, too', () => {
  const thoughtSignature = wrapSignatures([seal])
  const parts = [{ functionCall: { name: 'f' }, thoughtSignature }]
  expect(stripSeals({ contents: [{ parts }] })).toEqual({
    body: { contents: [{ parts: [{ functionCall: { name: 'f' } }] }] },
    dropped: ['contents[0].parts[0].thoughtSignature'],
  })
})

test('text that looks like a seal is text', () => {
  const body = { messages: [{ role: 'user', content: seal }], note: ['x', 1, null] }
  expect(stripSeals(body)).toEqual({ body, dropped: [] })
})
