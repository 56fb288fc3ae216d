import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { createJsonArraySplitter } from '../../../src/protocols/gemini/json-array.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../../src/protocols/sse.ts'
import { fixture, split } from '../feeding.ts'
import { chunkOf, context, eventsOf, eventsOfChunks, plain, request } from './codec-support.ts'

const types = (events: readonly AnswerEvent[]) => events.map(({ type }) => type)
const partsOf = (...chunks: unknown[]) =>
  plain(foldEvents(eventsOfChunks(chunks))).choices[0]?.parts
const stop = { finishReason: 'STOP' }
const call = (name: string, args: object = {}) => ({ functionCall: { name, args } })

describe('a Gemini stream, decoded', () => {
  test('pieces of the same kind are one block; thought ends before text begins', () => {
    const events = eventsOfChunks([
      { ...chunkOf([{ text: 'h', thought: true }]), responseId: 'r', modelVersion: 'v' },
      chunkOf([{ text: 'm', thought: true }, { text: 'a' }]),
      chunkOf([{ text: 'b' }], stop),
    ])
    expect(events).toEqual([
      { type: 'start', id: 'r', model: 'v', createdAt: undefined, usage: undefined },
      { type: 'reasoning-start', id: '0', choice: 0 },
      { type: 'reasoning-delta', id: '0', text: 'h' },
      { type: 'reasoning-delta', id: '0', text: 'm' },
      { type: 'reasoning-end', id: '0', signature: undefined },
      { type: 'text-start', id: '1', choice: 0 },
      { type: 'text-delta', id: '1', text: 'a' },
      { type: 'text-delta', id: '1', text: 'b' },
      { type: 'text-end', id: '1' },
      { type: 'finish', choice: 0, reason: 'stop' },
      { type: 'end', usage: undefined, serviceTier: undefined },
    ])
  })

  test('T9: the signature of a call is reasoning before it, with its id', () => {
    const events = eventsOfChunks([
      chunkOf([{ ...call('look', { a: 1 }), thoughtSignature: 's' }, call('look')], stop),
    ])
    expect(plain(foldEvents(events)).choices).toEqual([
      {
        index: 0,
        parts: [
          { type: 'reasoning', text: '', signature: 's', callId: 'call_req1_0' },
          {
            type: 'tool-call',
            callId: 'call_req1_0',
            name: 'look',
            kind: 'function',
            input: '{"a":1}',
          },
          { type: 'tool-call', callId: 'call_req1_1', name: 'look', kind: 'function', input: '{}' },
        ],
        finish: { reason: 'tool-calls' },
      },
    ])
  })

  test('T9: signatures of text and of thought', () => {
    expect(
      partsOf(
        chunkOf([{ text: 'hm', thought: true }]),
        chunkOf([{ text: '', thought: true, thoughtSignature: 'a' }]),
        chunkOf([{ text: 'so', thoughtSignature: 'b' }, { text: 'on' }]),
        chunkOf([{ text: '', thoughtSignature: 'c' }], stop),
      ),
    ).toEqual([
      { type: 'reasoning', text: 'hm', signature: 'a' },
      { type: 'text', text: 'so' },
      { type: 'reasoning', text: '', signature: 'b' },
      { type: 'text', text: 'on' },
      { type: 'reasoning', text: '', signature: 'c' },
    ])
  })

  test('answers side by side are told apart by their index', () => {
    const candidates = [
      { index: 1, content: { parts: [{ text: 'b' }] }, finishReason: 'MAX_TOKENS' },
      { index: 0, content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' },
    ]
    const { choices } = foldEvents(eventsOfChunks([{ candidates }]))
    expect(choices.map(({ index, finish }) => [index, finish.reason])).toEqual([
      [0, 'stop'],
      [1, 'length'],
    ])
    expect(
      types(eventsOfChunks([{ candidates: [candidates[0], { index: 0, content: {} }] }])).at(-1),
    ).toBe('finish')
  })

  test('T14: the one text of a custom tool’s function is its input', () => {
    const tools = [{ kind: 'custom', name: 'patch' } as const]
    const events = eventsOfChunks(
      [chunkOf([call('patch', { input: '*' }), call('patch', { other: 1 })], stop)],
      { request: request({ tools }) },
    )
    expect(foldEvents(events).choices[0]?.parts).toMatchObject([
      { kind: 'custom', input: '*' },
      { kind: 'function', input: '{"other":1}' },
    ])
  })

  test('arguments in pieces come as one call (Vertex)', () => {
    const piece = (jsonPath: string, more: object) => ({
      functionCall: { partialArgs: [{ jsonPath, ...more }], willContinue: true },
    })
    const parts = partsOf(
      chunkOf([{ functionCall: { name: 'f', id: 'x', willContinue: true } }]),
      chunkOf([piece('$.items[1].n', { numberValue: 2 })]),
      chunkOf([piece('$.items[0].s', { stringValue: 'a', willContinue: true })]),
      chunkOf([piece('$.items[0].s', { stringValue: 'b' })]),
      chunkOf([piece("$['key']", { boolValue: true })]),
      chunkOf([
        piece('$.none', { nullValue: 'NULL_VALUE' }),
        piece('nonsense', { numberValue: 1 }),
      ]),
      chunkOf([{ functionCall: {} }]),
      chunkOf([{ text: 'x' }], stop),
    )
    expect(parts).toEqual([
      {
        type: 'tool-call',
        callId: 'x',
        name: 'f',
        kind: 'function',
        input: '{"items":[{"s":"ab"},{"n":2}],"key":true,"none":null}',
      },
      { type: 'text', text: 'x' },
    ])
  })

  test('a call whose pieces never end is told when the stream ends', () => {
    const chunk = chunkOf([{ functionCall: { name: 'f', willContinue: true } }], stop)
    expect(partsOf(chunk)).toMatchObject([{ type: 'tool-call', input: '{}' }])
  })

  test.each([
    ['SAFETY', 'filter'],
    ['RECITATION', 'filter'],
    ['BLOCKLIST', 'filter'],
    ['PROHIBITED_CONTENT', 'filter'],
    ['SPII', 'filter'],
    ['IMAGE_SAFETY', 'filter'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['MALFORMED_FUNCTION_CALL', 'failed'],
    ['UNEXPECTED_TOOL_CALL', 'failed'],
    ['LANGUAGE', 'other'],
    ['NO_IMAGE', 'other'],
    ['OTHER', 'other'],
    ['NEWER_THAN_THIS', 'other'],
  ])('the end %s is %s', (finishReason, reason) => {
    const events = eventsOfChunks([chunkOf([], { finishReason })])
    expect(events).toContainEqual({ type: 'finish', choice: 0, reason } as AnswerEvent)
  })

  test('a call of a tool that nobody has is the client’s to answer', () => {
    const chunk = chunkOf([call('gone')], { finishReason: 'UNEXPECTED_TOOL_CALL' })
    expect(foldEvents(eventsOfChunks([chunk])).choices).toMatchObject([
      { finish: { reason: 'tool-calls' } },
    ])
  })

  test('a blocked prompt ends by the filter', () => {
    const frames = split(createSseSplitter(), [fixture('gemini/blocked.sse')]).frames
    const events = eventsOf(frames, gemini.codec.createDecoder(context()))
    expect(types(events)).toEqual(['start', 'finish', 'end'])
    expect(foldEvents(events).choices).toMatchObject([{ finish: { reason: 'filter' } }])
  })

  test('S3: an error inside of it closes what is open, and is the last', () => {
    const frames = split(createSseSplitter(), [fixture('gemini/error-in-stream.sse')]).frames
    const events = eventsOf([...frames, ...frames], gemini.codec.createDecoder(context()))
    expect(types(events)).toEqual(['start', 'text-start', 'text-delta', 'text-end', 'error'])
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { message: 'The model is overloaded.', code: 'UNAVAILABLE', status: 503 },
    })
  })

  test('S5: without a finish reason there is no end, only what was open is closed', () => {
    expect(types(eventsOfChunks([chunkOf([{ text: 'a' }])]))).toEqual([
      'start',
      'text-start',
      'text-delta',
      'text-end',
    ])
    expect(eventsOfChunks([])).toEqual([])
  })

  test('what comes behind the finish reason still counts', () => {
    const frames = split(createSseSplitter(), [fixture('gemini/tail-after-finish.sse')]).frames
    const events = eventsOf(frames, gemini.codec.createDecoder(context()))
    expect(events.at(-1)).toMatchObject({
      type: 'end',
      usage: { inputTokens: 70, outputTokens: 13, reasoningTokens: 7, cacheReadTokens: 60 },
    })
  })

  test('the elements of a streamed array are its chunks', () => {
    const { frames } = split(createJsonArraySplitter(), [fixture('gemini/streamed-array.json')])
    const response = foldEvents(eventsOf(frames, gemini.codec.createDecoder(context())))
    expect(response.choices).toMatchObject([
      { parts: [{ text: 'brackets ] } in "text" \\你好 🙂' }], finish: { reason: 'length' } },
    ])
  })

  test('the tier is told by name or by the kind of traffic', () => {
    const tierOf = (usageMetadata: object) =>
      foldEvents(eventsOfChunks([{ ...chunkOf([], stop), usageMetadata }])).serviceTier as string
    expect(tierOf({ serviceTier: 'standard' })).toBe('default')
    expect(tierOf({ trafficType: 'ON_DEMAND_FLEX' })).toBe('flex')
    expect(tierOf({ trafficType: 'ON_DEMAND' })).toBeUndefined()
  })

  test('created time is the upstream’s', () => {
    const [start] = eventsOfChunks([{ createTime: '2026-03-21T18:11:55.919086Z', candidates: [] }])
    expect(start).toMatchObject({ createdAt: 1_774_116_715 })
  })

  test('images are parts; drafts and other media are not', () => {
    const inlineData = { mimeType: 'image/png', data: '_-8=' }
    expect(
      partsOf(
        chunkOf(
          [
            { text: 'a' },
            { inlineData, thought: true },
            { inlineData, thoughtSignature: 's' },
            { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
          ],
          stop,
        ),
      ),
    ).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image', source: { type: 'data', mediaType: 'image/png', data: '/+8=' } },
      { type: 'reasoning', text: '', signature: 's' },
    ])
  })
})

describe('sources and probabilities', () => {
  const chunks = [
    { web: { uri: 'https://a.test', title: 'A' } },
    { web: { uri: 'https://b.test' } },
    { retrievedContext: { text: 'no address' } },
    { web: { uri: 'https://c.test' } },
  ]
  const answer = (grounding: JsonObject, text: string) =>
    partsOf(chunkOf([{ text }]), chunkOf([], { ...stop, groundingMetadata: grounding }))

  test('bytes become UTF-16 units; what no support names stands for the whole', () => {
    const groundingSupports = [
      { groundingChunkIndices: [0, 2], segment: { endIndex: 6, text: 'né🙂'.slice(0, 2) } },
      { groundingChunkIndices: [1, 9], segment: { startIndex: 3, endIndex: 7 } },
    ]
    expect(answer({ groundingChunks: chunks, groundingSupports }, 'né🙂 ok')).toEqual([
      {
        type: 'text',
        text: 'né🙂 ok',
        citations: [
          { type: 'url', url: 'https://a.test', title: 'A', start: 0, end: 2 },
          { type: 'url', url: 'https://b.test', start: 2, end: 4 },
          { type: 'url', url: 'https://c.test' },
        ],
      },
    ])
  })

  test('quotations of either API', () => {
    const citation = { startIndex: 0, endIndex: 2, uri: 'https://a.test' }
    for (const citationMetadata of [
      { citations: [citation] },
      { citationSources: [citation, { license: 'MIT' }] },
    ]) {
      expect(partsOf(chunkOf([{ text: 'abc' }], { ...stop, citationMetadata }))).toMatchObject([
        { citations: [{ url: 'https://a.test', start: 0, end: 2 }] },
      ])
    }
  })

  test('probabilities belong to the text of their chunk', () => {
    const token = { token: 'a', logProbability: -0.5, tokenId: 1 }
    const logprobsResult = {
      chosenCandidates: [token, { token: 'b' }],
      topCandidates: [{ candidates: [token] }],
    }
    expect(partsOf(chunkOf([{ text: 'ab' }, { text: 'c' }], { ...stop, logprobsResult }))).toEqual([
      {
        type: 'text',
        text: 'abc',
        logprobs: [
          { token: 'a', logprob: -0.5, top: [{ token: 'a', logprob: -0.5 }] },
          { token: 'b', logprob: 0, top: [] },
        ],
      },
    ])
  })
})

test('probabilities are those of the text, not of the thought before it', () => {
  const logprobsResult = { chosenCandidates: [{ token: 'a', logProbability: -1 }] }
  const parts = [{ text: 'Hm', thought: true }, { text: 'a' }]
  expect(partsOf(chunkOf(parts, { ...stop, logprobsResult }))).toEqual([
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'a', logprobs: [{ token: 'a', logprob: -1, top: [] }] },
  ])
})

describe('the body of an error', () => {
  test.each<[JsonObject, object]>([
    [
      {
        error: {
          code: 400,
          message: 'Bad.',
          status: 'INVALID_ARGUMENT',
          details: [
            { '@type': 'x' },
            { fieldViolations: [{ field: 'contents[0].parts', description: 'empty' }] },
          ],
        },
      },
      { message: 'Bad.', code: 'INVALID_ARGUMENT', status: 400, param: 'contents[0].parts' },
    ],
    [{ error: 'no' }, { message: 'no' }],
    [{ message: 'no' }, { message: 'no' }],
    [{ error: { code: 7 } }, { message: 'The upstream gave no reason.' }],
    [{}, { message: 'The upstream gave no reason.' }],
  ])('%j', (body, error) => {
    expect(plain(gemini.codec.decodeError(body))).toEqual(error as never)
  })

  test('in a whole answer it is the answer’s error, and is written as one', () => {
    const body = { error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } }
    const response = gemini.codec.decodeResponse(body, context())
    expect(response).toMatchObject({ choices: [], error: { message: 'Busy.', status: 503 } })
    expect(gemini.codec.encodeResponse(response, context())).toEqual(body)
  })
})
