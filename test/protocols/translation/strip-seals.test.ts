import { expect, test } from 'bun:test'
import { dummySignature, wrapSignatures } from '../../../src/protocols/gemini/thinking.ts'
import { sealPrefix, stripSeals } from '../../../src/protocols/translation/seal.ts'

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
    { messages: [{}] },
    ['messages[0].reasoning_details[0]'],
  ],
  [
    'the text beside a detail of chat, but not beside another vendor’s,',
    {
      messages: [
        {
          content: null,
          reasoning_content: 'Hm',
          reasoning_details: [
            { type: 'reasoning.encrypted', data: seal },
            { type: 'reasoning.text', text: 'Own' },
          ],
        },
        { reasoning_content: 'Own', reasoning_details: [{ type: 'reasoning.text', text: 'Own' }] },
      ],
    },
    {
      messages: [
        { content: null, reasoning_details: [{ type: 'reasoning.text', text: 'Own' }] },
        { reasoning_content: 'Own', reasoning_details: [{ type: 'reasoning.text', text: 'Own' }] },
      ],
    },
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

test('T9: something stands in for the signature of a call where the vendor wants one', () => {
  const call = (signature: string) => ({ functionCall: { name: 'f' }, thoughtSignature: signature })
  const text = { text: 'A', thoughtSignature: seal }
  const contents = [{ parts: [call(wrapSignatures([seal])), call('own'), text] }]
  const stripped = (model: string) => stripSeals({ contents }, { model, quirks: new Set() })
  expect(stripped('gemini-3-pro-preview')).toEqual({
    body: { contents: [{ parts: [call(dummySignature), call('own'), { text: 'A' }] }] },
    dropped: ['contents[0].parts[0].thoughtSignature', 'contents[0].parts[2].thoughtSignature'],
  })
  const { functionCall } = call('')
  expect(stripped('gemini-2.5-pro').body).toEqual({
    contents: [{ parts: [{ functionCall }, call('own'), { text: 'A' }] }],
  })
})

test('text that looks like a seal is text', () => {
  const body = { messages: [{ role: 'user', content: seal }], note: ['x', 1, null] }
  expect(stripSeals(body)).toEqual({ body, dropped: [] })
})
