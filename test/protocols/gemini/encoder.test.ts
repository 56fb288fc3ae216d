import { describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { foldUsage } from '../../../src/protocols/canonical/extras.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import { emptyUsage, type Usage } from '../../../src/protocols/canonical/usage.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { wrapSignatures } from '../../../src/protocols/gemini/thinking.ts'
import { encodeUsage, geminiReports } from '../../../src/protocols/gemini/usage.ts'
import type { Framing, ProtocolError } from '../../../src/protocols/protocol.ts'
import { startCpuTime } from '../../support/cpu-time.ts'
import { context, parsed, plain } from './codec-support.ts'
import { checkCandidate, readStrictly } from './strict-stream.ts'

const usage: Usage = {
  ...emptyUsage,
  inputTokens: 5,
  outputTokens: 7,
  reasoningTokens: 3,
  cacheReadTokens: 2,
}
const start: AnswerEvent = { type: 'start', id: 'resp_1' }
const finish: AnswerEvent = { type: 'finish', choice: 0, reason: 'stop' }
const end: AnswerEvent = { type: 'end', usage }
const text = (id: string, ...pieces: string[]): AnswerEvent[] => [
  { type: 'text-start', id, choice: 0 },
  ...pieces.map((piece): AnswerEvent => ({ type: 'text-delta', id, text: piece })),
  { type: 'text-end', id },
]
const thought = (id: string, piece: string, signature?: string): AnswerEvent[] => [
  { type: 'reasoning-start', id, choice: 0 },
  ...(piece === '' ? [] : [{ type: 'reasoning-delta', id, text: piece } as const]),
  { type: 'reasoning-end', id, signature },
]
const callStart = (id: string): AnswerEvent => ({
  type: 'tool-call-start',
  id,
  choice: 0,
  callId: `call-${id}`,
  name: 'look',
  kind: 'function',
})
const callDelta = (id: string, piece: string): AnswerEvent => ({
  type: 'tool-call-delta',
  id,
  text: piece,
})
const callEnd = (id: string): AnswerEvent => ({ type: 'tool-call-end', id })
const call = (id: string, input: string) => [callStart(id), callDelta(id, input), callEnd(id)]

function written(events: readonly AnswerEvent[], framing: Framing = 'sse'): string {
  const encoder = gemini.codec.createEncoder(context({ framing }))
  return events.map((event) => encoder.push(event)).join('')
}
const chunksOf = (events: readonly AnswerEvent[], framing: Framing = 'sse') =>
  readStrictly(written(events, framing), framing)
const partsOf = (events: readonly AnswerEvent[]) =>
  chunksOf(events).map(({ candidates }) => {
    const [candidate] = candidates as { content: { parts: object[] } }[]
    return candidate?.content.parts
  })

const failure: ProtocolError = {
  status: 502,
  code: 'upstream_error',
  message: 'It broke.',
  param: undefined,
  requestId: 'req1',
}

describe('a stream for Gemini clients', () => {
  test('S6: each chunk is a frame of its own, its lines end in CRLF', () => {
    expect(written([start, ...text('0', 'Hé\r\n"'), finish, end])).toBe(
      [
        'data: {"candidates":[{"content":{"parts":[{"text":"Hé\\r\\n"}],"role":"model"},"index":0}],',
        '"modelVersion":"asked-for","responseId":"resp_1"}\r\n\r\n',
        'data: {"candidates":[{"content":{"parts":[{"text":"\\""}],"role":"model"},"finishReason":"STOP","index":0}],',
        '"usageMetadata":{"promptTokenCount":7,"cachedContentTokenCount":2,"candidatesTokenCount":4,',
        '"thoughtsTokenCount":3,"totalTokenCount":14},"modelVersion":"asked-for","responseId":"resp_1"}\r\n\r\n',
      ].join(''),
    )
  })

  test('without alt=sse it is one array, whose elements come as they are ready', () => {
    const encoder = gemini.codec.createEncoder(context({ framing: 'json-array' }))
    const pieces = [start, ...text('0', 'a', 'b'), finish, end].map((event) => encoder.push(event))
    const begun = pieces.filter((piece) => piece !== '').map((piece) => piece.slice(0, 16))
    expect(begun).toEqual(['[{"candidates":[', ',\r\n{"candidates"'])
    expect(pieces.join('')).toEndWith('}]')
    expect(readStrictly(pieces.join(''), 'json-array')).toHaveLength(2)
  })

  test('thought and text go out as they come, also when they overlap', () => {
    const [reasoningStart, ...rest] = thought('r', 'hm')
    const events = [
      start,
      reasoningStart as AnswerEvent,
      ...text('t', 'a'),
      ...rest,
      { type: 'refusal-start', id: 'n', choice: 0 } as const,
      { type: 'refusal-delta', id: 'n', text: 'no' } as const,
      { type: 'refusal-end', id: 'n' } as const,
      finish,
      end,
    ]
    expect(partsOf(events)).toEqual([
      [{ text: 'a' }],
      [{ text: 'hm', thought: true }],
      [{ text: 'n' }],
      [{ text: 'o' }],
    ])
  })

  test('the last part stands with the end: of text its last character', () => {
    const pieces = ['Hel', 'l', 'o', ' 🙂', '']
    expect(partsOf([start, ...text('0', ...pieces), finish, end])).toEqual([
      ...[[{ text: 'He' }], [{ text: 'l' }], [{ text: 'l' }], [{ text: 'o ' }], [{ text: '🙂' }]],
    ])
    const events = [start, ...text('0', 'ab'), ...call('1', '{}'), ...call('2', '{}'), finish, end]
    expect(partsOf(events)).toMatchObject([
      ...[[{ text: 'a' }], [{ text: 'b' }]],
      ...[[{ functionCall: { id: 'call-1' } }], [{ functionCall: { id: 'call-2' } }]],
    ])
    expect(partsOf([start, finish, end])).toEqual([[{ text: '' }]])
  })

  test('text before a call is whole as soon as the call begins', () => {
    const encoder = gemini.codec.createEncoder(context())
    const pieces = [start, ...text('0', 'ab'), callStart('1')].map((event) => encoder.push(event))
    expect(pieces.at(-1)).toContain('"parts":[{"text":"b"}]')
  })

  test('what was kept back is told before an error', () => {
    const encoder = gemini.codec.createEncoder(context())
    const before = [start, ...text('0', 'ab')].map((event) => encoder.push(event)).join('')
    const [first, second, last] = readStrictly(before + encoder.fail(failure), 'sse')
    expect([first, second]).toMatchObject([
      { candidates: [{ content: { parts: [{ text: 'a' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'b' }] } }] },
    ])
    expect(last).toHaveProperty('error')
  })

  test('T3 T12: calls come whole, in the order they began, whatever their pieces overlap', () => {
    const events = [
      start,
      callStart('a'),
      callStart('b'),
      callDelta('b', '{"n":12345678901234567890}'),
      callEnd('b'),
      callDelta('a', '{"x":'),
      callDelta('a', '1}'),
      callEnd('a'),
      ...call('c', 'not json'),
      ...call('d', ''),
      { ...finish, reason: 'tool-calls' } as const,
      end,
    ]
    expect(written(events)).toContain('{"n":12345678901234567890}')
    expect(partsOf(events)).toMatchObject([
      [{ functionCall: { id: 'call-a', name: 'look', args: { x: 1 } } }],
      [{ functionCall: { id: 'call-b' } }],
      [{ functionCall: { id: 'call-c', args: { input: 'not json' } } }],
      [{ functionCall: { id: 'call-d', args: {} } }],
    ])
  })

  test('T9: signatures wait for the next call, all of them', () => {
    const events = [
      start,
      ...thought('0', 'hm', 'tgs1.a'),
      ...text('1', 'x'),
      ...thought('2', '', 'tgs1.b'),
      ...call('3', '{}'),
      ...call('4', '{}'),
      ...thought('5', '', 'tgs1.c'),
      finish,
      end,
    ]
    expect(partsOf(events).slice(2)).toMatchObject([
      [{ functionCall: { id: 'call-3' }, thoughtSignature: wrapSignatures(['tgs1.a', 'tgs1.b']) }],
      [
        { functionCall: { id: 'call-4' } },
        { text: '', thoughtSignature: wrapSignatures(['tgs1.c']) },
      ],
    ])
    expect(partsOf(events)[3]?.[0]).not.toContainKey('thoughtSignature')
  })

  test('answers side by side keep their own signatures and ends', () => {
    const events: AnswerEvent[] = [
      start,
      { type: 'reasoning-start', id: 'r', choice: 1 },
      { type: 'reasoning-end', id: 'r', signature: 's' },
      ...call('a', '{}'),
      { type: 'finish', choice: 0, reason: 'tool-calls' },
      { type: 'finish', choice: 1, reason: 'length' },
      end,
    ]
    expect(chunksOf(events).at(-1)).toMatchObject({
      candidates: [
        {
          index: 0,
          finishReason: 'STOP',
          content: { parts: [{ functionCall: { id: 'call-a' } }] },
        },
        {
          index: 1,
          finishReason: 'MAX_TOKENS',
          content: { parts: [{ text: '', thoughtSignature: wrapSignatures(['s']) }] },
        },
      ],
    })
  })

  test('sources are in the last chunk, counted in bytes', () => {
    const citation = { type: 'url', url: 'https://a.test', title: 'A' } as const
    const citations = [{ ...citation, start: 1, end: 3 }, citation]
    const events = [start, ...text('0', 'né', 'e'), finish, end].map((event) =>
      event.type === 'text-end' ? { ...event, citations } : event,
    )
    const chunks = chunksOf(events)
    expect(chunks.at(-1)?.candidates).toMatchObject([
      {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
          groundingSupports: [
            { segment: { startIndex: 1, endIndex: 4, text: 'ée' }, groundingChunkIndices: [0] },
            { segment: { startIndex: 0, endIndex: 4, text: 'née' }, groundingChunkIndices: [0] },
          ],
        },
      },
    ])
  })

  test('probabilities are in the chunk of their text, images are parts', () => {
    const events: AnswerEvent[] = [
      start,
      { type: 'text-start', id: '0', choice: 0 },
      {
        type: 'text-delta',
        id: '0',
        text: 'a',
        logprobs: [{ token: 'a', logprob: -1, top: [{ token: 'b', logprob: -2 }] }],
      },
      { type: 'text-end', id: '0' },
      {
        type: 'image',
        choice: 0,
        image: { type: 'image', source: { type: 'data', mediaType: 'image/png', data: 'AAAA' } },
      },
      finish,
      end,
    ]
    expect(chunksOf(events)).toMatchObject([
      {
        candidates: [
          {
            logprobsResult: {
              chosenCandidates: [{ token: 'a', logProbability: -1 }],
              topCandidates: [{ candidates: [{ token: 'b', logProbability: -2 }] }],
            },
          },
        ],
      },
      {
        candidates: [
          { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } },
        ],
      },
    ])
  })

  test('T18: what the upstream says of the input at the beginning is in every chunk', () => {
    const events = [
      { ...start, usage: { ...emptyUsage, inputTokens: 9 } },
      ...text('0', 'ab'),
      finish,
      end,
    ]
    expect(chunksOf(events).map(({ usageMetadata }) => usageMetadata)).toMatchObject([
      { promptTokenCount: 9, totalTokenCount: 9 },
      { promptTokenCount: 7, totalTokenCount: 14 },
    ])
  })

  test('T18: usage that the upstream never tells is estimated, streamed or not', () => {
    const estimate = { promptTokenCount: context().estimatedInputTokens, candidatesTokenCount: 0 }
    const chunks = chunksOf([start, ...text('0', 'a'), finish, { type: 'end' }])
    expect(chunks.at(-1)?.usageMetadata).toMatchObject(estimate)
    const whole = gemini.codec.encodeResponse({ choices: [] }, context())
    expect(whole).toMatchObject({ usageMetadata: estimate })
  })

  test('T12: a call waits for those of its own answer only', () => {
    const other = { ...callStart('b'), choice: 1 }
    const said: AnswerEvent[] = [{ type: 'text-start', id: 't', choice: 1 }]
    const begun = [start, callStart('a'), other, callEnd('b'), ...said]
    const encoder = gemini.codec.createEncoder(context())
    const more: AnswerEvent = { type: 'text-delta', id: 't', text: 'a' }
    const [written = ''] = [...begun, more].map((event) => encoder.push(event)).slice(-1)
    expect(written).toContain('call-b')
  })

  test.each(['sse', 'json-array'] as const)(
    'S3: an error ends it (%s), and nothing follows',
    (framing) => {
      const error = { code: 502, message: 'It broke.', status: 'UNAVAILABLE' }
      for (const before of [[], [start], [start, ...text('0', 'a'), callStart('c')]]) {
        const encoder = gemini.codec.createEncoder(context({ framing }))
        const all = before.map((event) => encoder.push(event)).join('') + encoder.fail(failure)
        expect(readStrictly(all, framing).at(-1)).toEqual({ error })
        expect(encoder.push(end) + encoder.fail(failure)).toBe('')
      }
      const told = written(
        [start, { type: 'error', error: { message: 'It broke.' } }, end],
        framing,
      )
      expect(readStrictly(told, framing)).toEqual([{ error }])
    },
  )

  test('nothing follows the end', () => {
    const encoder = gemini.codec.createEncoder(context())
    for (const event of [start, finish, end]) encoder.push(event)
    expect(encoder.push(end) + encoder.fail(failure)).toBe('')
  })

  test('T19: without an id of the upstream the answer has the request’s', () => {
    const [chunk] = chunksOf([{ type: 'start' }, finish, end])
    expect(chunk).toMatchObject({ responseId: 'req1', modelVersion: 'asked-for' })
  })

  test('a long stream takes time in proportion to its length', () => {
    const time = (count: number) => {
      const encoder = gemini.codec.createEncoder(context())
      encoder.push({ type: 'text-start', id: '0', choice: 0 })
      const cpuMs = startCpuTime()
      for (let at = 0; at < count; at++) encoder.push({ type: 'text-delta', id: '0', text: 'abc' })
      encoder.push({
        type: 'text-end',
        id: '0',
        citations: [{ type: 'url', url: 'u', start: 0, end: 9 }],
      })
      return cpuMs()
    }
    time(10_000)
    expect(time(100_000)).toBeLessThan(2000)
  })
})

describe('Google’s SDK reads it', () => {
  const events = [
    start,
    ...thought('0', 'hm', 'tgs1.a'),
    ...text('1', 'Hé', ' 🙂'),
    ...call('2', '{"x":1}'),
    { ...finish, reason: 'tool-calls' } as const,
    end,
  ]

  test('streamed', async () => {
    const server = serve(new Response(written(events)))
    try {
      const stream = await client(server).models.generateContentStream({
        model: 'm',
        contents: 'x',
      })
      const chunks = await Array.fromAsync(stream)
      expect(chunks.map((chunk) => chunk.text ?? '').join('')).toBe('Hé 🙂')
      expect(chunks.flatMap((chunk) => chunk.functionCalls ?? [])).toEqual([
        { id: 'call-2', name: 'look', args: { x: 1 } },
      ])
      expect(chunks.at(-1)?.usageMetadata?.totalTokenCount).toBe(14)
      expect(chunks.at(-1)?.candidates?.[0]?.finishReason as string).toBe('STOP')
    } finally {
      await server.stop(true)
    }
  })

  test('whole', async () => {
    const body = gemini.codec.encodeResponse(foldEvents(events), context())
    const server = serve(Response.json(body))
    try {
      const answer = await client(server).models.generateContent({ model: 'm', contents: 'x' })
      expect(answer.text).toBe('Hé 🙂')
      expect(answer.functionCalls).toEqual([{ id: 'call-2', name: 'look', args: { x: 1 } }])
      const parts = answer.candidates?.[0]?.content?.parts ?? []
      expect(parts.at(-1)?.thoughtSignature).toBe(wrapSignatures(['tgs1.a']))
    } finally {
      await server.stop(true)
    }
  })

  const serve = (response: Response) =>
    Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => response })
  const client = (server: { readonly url: URL }) =>
    new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: server.url.href } })
})

describe('a whole answer for Gemini clients', () => {
  test('has everything in its place', () => {
    const events = [start, ...thought('0', 'hm', 's'), ...text('1', 'a'), finish, end]
    const body = parsed(gemini.codec.encodeResponse(foldEvents(events), context()))
    for (const candidate of body.candidates) checkCandidate(candidate)
    expect(body).toEqual({
      candidates: [
        {
          content: {
            parts: [
              { text: 'hm', thought: true },
              { text: 'a', thoughtSignature: wrapSignatures(['s']) },
            ],
            role: 'model',
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: encodeUsage(usage),
      modelVersion: 'asked-for',
      responseId: 'resp_1',
    })
  })

  test('T21: without any part there is an empty text, for clients that look for one', () => {
    const body = gemini.codec.encodeResponse(
      foldEvents([start, { ...finish, reason: 'filter' }]),
      context(),
    )
    expect(body).toMatchObject({
      candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'SAFETY' }],
    })
  })

  test('what clients of other protocols may have had, they have too', () => {
    const events: AnswerEvent[] = [
      start,
      ...text('0', 'a'),
      ...thought('1', 'b'),
      ...call('2', '{"x":1}'),
      { type: 'finish', choice: 0, reason: 'tool-calls' },
      end,
    ]
    const response = foldEvents(events)
    const again = gemini.codec.decodeResponse(
      parsed(gemini.codec.encodeResponse(response, context())),
      context(),
    )
    expect(plain(again)).toEqual(plain({ ...response, model: 'asked-for' }))
  })
})

describe('usage for Gemini clients', () => {
  test.each<Partial<Usage>>([
    {},
    { inputTokens: 3 },
    { inputTokens: 3, outputTokens: 4 },
    { inputTokens: 3, outputTokens: 4, reasoningTokens: 4, cacheReadTokens: 9 },
  ])('%j comes back as it is', (counts) => {
    const whole = { ...emptyUsage, ...counts }
    expect(foldUsage(geminiReports, encodeUsage(whole))).toEqual(whole)
  })

  test('what was written to a cache is input', () => {
    const whole = { ...emptyUsage, inputTokens: 1, cacheWriteTokens: 2, cacheWrite1hTokens: 3 }
    expect(foldUsage(geminiReports, encodeUsage(whole))).toEqual({
      ...emptyUsage,
      inputTokens: 6,
    })
  })

  test('T20: a count of input has the form of the vendor’s', () => {
    expect(gemini.codec.encodeCount(7)).toEqual({ totalTokens: 7 })
  })
})
