import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { validateGemini } from './gemini.ts'
import { validateGeminiBody } from './gemini-shape.ts'
import { changeAt, changed, singleFaults, toSse } from './mutations.ts'

const usageMetadata = {
  promptTokenCount: 10,
  candidatesTokenCount: 4,
  thoughtsTokenCount: 3,
  toolUsePromptTokenCount: 2,
  cachedContentTokenCount: 8,
  totalTokenCount: 19,
}
const head = { usageMetadata: { promptTokenCount: 10 }, modelVersion: 'gemini-x', responseId: 'r1' }

const chunk = (parts: readonly JsonObject[], candidate: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...candidate }],
  ...head,
})
const functionCall = { name: 'weather', args: { city: 'Paris' } }
const last = { ...chunk([{ functionCall }], { finishReason: 'STOP' }), usageMetadata }

const good: readonly JsonObject[] = [
  chunk([{ text: 'Where?', thought: true }]),
  chunk([{ text: 'I look.', thoughtSignature: 'c2ln' }]),
  last,
]
const blocked = {
  ...head,
  promptFeedback: { blockReason: 'SAFETY' },
  usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
}
const error = { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }

const violationsOf = (events: readonly unknown[]) => validateGemini(toSse(events, 'unnamed'))

describe('a gemini stream', () => {
  test('is valid as the vendor documents it', () => {
    expect(violationsOf(good)).toEqual([])
    expect(validateGemini(toSse(good, 'unnamed').replaceAll('\n', '\r\n'))).toEqual([])
    expect(violationsOf([blocked])).toEqual([])
    const empty = { candidates: [{ content: {}, finishReason: 'SAFETY' }], ...head, usageMetadata }
    expect(violationsOf([empty])).toEqual([])
    const counted = { ...head, usageMetadata }
    expect(violationsOf([...good.slice(0, 2), changed(last, head), counted])).toEqual([])
  })

  test('is reported when its last chunk is missing, doubled or out of place', () => {
    const unseen = [...singleFaults(good)].filter(([, events]) => violationsOf(events).length === 0)
    // All others are texts, which are what they are.
    expect(unseen.map(([name]) => name)).toEqual([
      ...['without 0', '0 twice', '0 after 1', 'without 1', '1 twice'],
    ])
  })

  const call = (members: JsonObject) => good.with(1, chunk([{ functionCall: members }]))
  const part = (members: JsonObject) => good.with(1, chunk([members]))
  const broken: [string, readonly unknown[], string][] = [
    ['no finishReason', good.slice(0, 2), 'candidate 0 has no finishReason'],
    [
      'an unknown one',
      good.with(2, changed(last, chunk([], { finishReason: 'stop' }))),
      'stop is un',
    ],
    ['chunks behind it', [...good, changed(last, chunk([]))], 'candidate 0 has finished already'],
    [
      'no candidate 0',
      [changed(last, chunk([], { index: 1, finishReason: 'STOP' }))],
      'no candidate 0',
    ],
    [
      'an index that is none',
      good.with(1, chunk([], { index: '0' })),
      'the index of a candidate is 0',
    ],
    [
      'no usage at the end',
      changeAt(good, 2, { usageMetadata: undefined }),
      'usageMetadata of the',
    ],
    ['wrong sums', changeAt(good, 2, { usageMetadata: { totalTokenCount: 14 } }), 'add up to 19'],
    [
      'no prompt count',
      changeAt(good, 2, { usageMetadata: { promptTokenCount: undefined } }),
      'promptT',
    ],
    [
      'much cached',
      changeAt(good, 2, { usageMetadata: { cachedContentTokenCount: 11 } }),
      'more cach',
    ],
    ['another id', changeAt(good, 1, { responseId: 'r2' }), "responseId is not the first chunk's"],
    ['no id', good.map((event) => changed(event, { responseId: undefined })), 'no responseId'],
    [
      'another model',
      changeAt(good, 1, { modelVersion: 'x' }),
      "modelVersion is not the first chunk's",
    ],
    [
      'a role of another vendor',
      good.with(1, chunk([], { content: { role: 'assistant', parts: [] } })),
      'role assistant',
    ],
    ['no role', good.with(1, chunk([], { content: { parts: [{ text: '' }] } })), 'role undefined'],
    ['no model', good.map((event) => changed(event, { modelVersion: '' })), 'no modelVersion'],
    ['text that is none', part({ text: 1 }), 'text is no text'],
    [
      'a prompt count that is none',
      changeAt(good, 2, { usageMetadata: { promptTokenCount: '10' } }),
      'promptTokenCount is no count',
    ],
    [
      'a thought count that is none',
      changeAt(good, 2, { usageMetadata: { thoughtsTokenCount: '3' } }),
      'thoughtsTokenCount is no count',
    ],
    ['no candidates', [{ ...head, usageMetadata }], 'no candidates'],
    ['an empty part', part({}), 'a part with nothing in it'],
    ['a mere signature', part({ thoughtSignature: 'c2ln' }), 'a part with nothing in it'],
    ['a part with two data', part({ text: '', functionCall }), 'a part with text and functionCall'],
    [
      'T9: an empty signature',
      part({ text: '', thoughtSignature: '' }),
      'thoughtSignature is empty',
    ],
    ['a thought that is text', part({ text: '', thought: 'yes' }), 'thought is no truth value'],
    ['an image without type', part({ inlineData: { data: 'AA==' } }), 'inlineData lacks a member'],
    ['a call without name', call({ args: {} }), 'a functionCall without name'],
    ['a call without args', call({ name: 'weather' }), 'args of a functionCall is no object'],
    ['args as text', call({ name: 'weather', args: '{}' }), 'args of a functionCall is no object'],
    ['an empty call id', call({ ...functionCall, id: '' }), 'the id of a functionCall is empty'],
    [
      'a chunk without anything',
      good.with(1, { responseId: 'r1', modelVersion: 'gemini-x' }),
      'neither',
    ],
    [
      'candidates that are none',
      good.with(1, { ...head, candidates: {} }),
      'candidates is no array',
    ],
    ['a refusal with candidates', [good[0], blocked], 'candidates of a refused prompt'],
    [
      'an unknown refusal',
      [changed(blocked, { promptFeedback: { blockReason: 'NO' } })],
      'NO is unk',
    ],
    ['[DONE]', [...good, '[DONE]'], 'data is no object'],
    ['an error', [...good.slice(0, 2), error], 'the stream has failed'],
    ['nothing', [], 'no chunks'],
  ]
  test.each(broken)('is reported: %s', (_, events, words) => {
    expect(violationsOf(events).join('\n')).toContain(words)
  })

  test('has names for no chunk', () => {
    const named = validateGemini(`event: message\n${toSse(good, 'unnamed')}`)
    expect(named).toEqual(['chunk 0: an event name, message'])
  })
})

describe('a gemini stream as one array', () => {
  const arrayOf = (text: string) => validateGemini(text, { framing: 'json-array' })
  const elements = good.map((event) => JSON.stringify(event))

  test('is valid as the vendor writes it', () => {
    expect(arrayOf(`[${elements.join('\n,\r\n')}\n]\n`)).toEqual([])
  })

  test.each([
    ['does not close', `[${elements.join(',')}`, 'the stream is no array'],
    ['lacks a comma', `[${elements.join('\n')}]`, 'the stream is no array'],
    ['is SSE', toSse(good, 'unnamed'), 'the stream is no array'],
    ['has two arrays', `[${elements[0]}][${elements[1]},${elements[2]}]`, 'the stream is no array'],
    ['is one object', `${elements[2]}`, 'the stream is no array'],
    ['holds a heartbeat', `[null,${elements[2]}]`, 'the stream is no array of objects'],
    ['lacks its last chunk', `[${elements[0]},${elements[1]}]`, 'no finishReason'],
  ])('is reported when it %s', (_, text, words) => {
    expect(arrayOf(text).join('\n')).toContain(words)
  })

  test('S3: may end with an error as its last element', () => {
    const text = `[${elements[0]},\n${JSON.stringify(error)}]`
    expect(validateGemini(text, { framing: 'json-array', ending: 'error' })).toEqual([])
    expect(arrayOf(text)).toContain('end: the stream has failed')
  })
})

describe('S3, S5: a gemini stream that breaks off', () => {
  const errorOf = (events: readonly unknown[]) =>
    validateGemini(toSse(events, 'unnamed'), { ending: 'error' })

  test('may do so anywhere', () => {
    for (let at = 0; at < good.length; at++) {
      expect(errorOf([...good.slice(0, at), error])).toEqual([])
    }
  })

  test.each([
    ['a chunk is wrong before it', [chunk([{}]), error], 'a part with nothing in it'],
    ['it ends well', good, 'no error'],
    ['it just stops', good.slice(0, 2), 'no error'],
    ['something follows', [error, good[0]], 'after the error'],
    ['the code is a word', [changed(error, { error: { code: 'upstream_error' } })], 'is no status'],
    ['the status is a number', [changed(error, { error: { status: 503 } })], 'no status word'],
    ['there is no message', [changed(error, { error: { message: '' } })], 'message is empty'],
    ['it is in a chunk', [{ ...good[0], ...error }], 'an error beside other fields'],
  ])('is reported when %s', (_, events, words) => {
    expect(errorOf(events).join('\n')).toContain(words)
  })
})

describe('an unstreamed gemini answer', () => {
  const partial = { functionCall: { name: 'weather', willContinue: true } }
  const finished = { finishReason: 'STOP' }

  test('is valid as the vendor documents it', () => {
    expect(validateGeminiBody(last)).toEqual([])
    expect(validateGeminiBody(blocked)).toEqual([])
    expect(validateGeminiBody({ ...blocked, usageMetadata: {} })).toEqual([])
  })

  test.each([
    ['no object', [last], 'it is no object'],
    ['no candidates', { ...last, candidates: [] }, 'no candidates'],
    ['no finishReason', { ...chunk([{ text: '' }]), usageMetadata }, 'no finishReason'],
    ['an index out of order', { ...last, ...chunk([], { ...finished, index: 1 }) }, 'index is 1'],
    [
      'a call in pieces',
      { ...last, ...chunk([partial], finished) },
      'args of a functionCall is no',
    ],
    ['no usage', changed(last, { usageMetadata: undefined }), 'usageMetadata is no object'],
    ['wrong sums', changed(last, { usageMetadata: { totalTokenCount: 0 } }), 'add up to 19'],
    ['candidates of a refusal', { ...last, ...blocked }, 'candidates of a refused prompt'],
  ])('is reported with %s', (_, wrong, words) => {
    expect(validateGeminiBody(wrong).join('\n')).toContain(words)
  })
})
