import { describe, expect, test } from 'bun:test'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { startCpuTime } from '../../support/cpu-time.ts'
import { createDice } from '../../support/random.ts'
import { assistant, call, context, options, request, target } from './codec-support.ts'
import { readStrictly } from './strict-stream.ts'

const oddities: unknown[] = [null, 0, -1, 1e300, '', 'x', '~', [], {}, [null], { a: 1 }, true, [[]]]

/** A copy in which some members are something else, or gone. */
function spoil(value: unknown, random: (below: number) => number): unknown {
  if (random(12) === 0) return oddities[random(oddities.length)]
  if (Array.isArray(value)) return value.map((item) => spoil(item, random))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(() => random(15) !== 0)
  return Object.fromEntries(members.map(([name, member]) => [name, spoil(member, random)]))
}

const body: JsonObject = {
  systemInstruction: { parts: [{ text: 'S' }] },
  contents: [
    {
      role: 'user',
      parts: [{ text: 'q' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    },
    {
      role: 'model',
      parts: [
        { text: 'hm', thought: true, thoughtSignature: 'YQ==' },
        { functionCall: { id: 'a', name: 'f', args: { x: [1] } }, thoughtSignature: 'Yg==' },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'a', name: 'f', response: { output: 'r' }, parts: [] } },
        { fileData: { fileUri: 'https://x.test/a.pdf', mimeType: 'application/pdf' } },
      ],
    },
  ],
  tools: [
    {
      functionDeclarations: [
        {
          name: 'f',
          parameters: { type: 'OBJECT', properties: { x: { type: 'ARRAY', items: {} } } },
        },
      ],
    },
    { googleSearch: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
  generationConfig: {
    temperature: 1,
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'object', allOf: [{ required: ['a'] }] },
    thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
  },
}

const answer: JsonObject = {
  candidates: [
    {
      index: 0,
      content: {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { text: 'né', thoughtSignature: 'YQ==' },
          { functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'Yg==' },
          {
            functionCall: {
              name: 'g',
              willContinue: true,
              partialArgs: [{ jsonPath: '$.a[0]', numberValue: 1 }],
            },
          },
          { functionCall: {} },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        ],
      },
      finishReason: 'STOP',
      groundingMetadata: {
        groundingChunks: [{ web: { uri: 'https://a.test' } }],
        groundingSupports: [
          { groundingChunkIndices: [0], segment: { startIndex: 1, endIndex: 3 } },
        ],
      },
      logprobsResult: {
        chosenCandidates: [{ token: 'a', logProbability: -1 }],
        topCandidates: [{ candidates: [] }],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, thoughtsTokenCount: 1 },
  modelVersion: 'v',
  responseId: 'r',
  createTime: '2026-01-01T00:00:00Z',
}

describe('spoiled bytes', () => {
  test('a request is decoded or refused, and what was decoded can be encoded', () => {
    let decoded = 0
    for (let seed = 1; seed <= 4000; seed++) {
      const spoiled = spoil(body, createDice(seed))
      if (!isJsonObject(spoiled)) continue
      try {
        const read = gemini.codec.decodeRequest(spoiled, target)
        decoded++
        const encoded = JSON.parse(JSON.stringify(gemini.codec.encodeRequest(read, options)))
        gemini.codec.decodeRequest(encoded, target)
        gemini.codec.findFault?.(read)
      } catch (error) {
        if (!(error instanceof TranslationError)) throw error
      }
    }
    expect(decoded).toBeGreaterThan(500)
  })

  test('an answer and the chunks of a stream are read, whatever they hold', () => {
    for (let seed = 1; seed <= 4000; seed++) {
      const random = createDice(seed)
      const chunks = Array.from({ length: 3 }, () => spoil(answer, random))
      const decoder = gemini.codec.createDecoder(context())
      const encoder = gemini.codec.createEncoder(context())
      const events = chunks.flatMap((chunk) => [...decoder.push(JSON.stringify(chunk), '')])
      events.push(...decoder.end())
      const text = events.map((event) => encoder.push(event)).join('')
      if (events.at(-1)?.type === 'end') readStrictly(text, 'sse')
      const [first] = chunks
      if (!isJsonObject(first)) continue
      const response = gemini.codec.decodeResponse(first, context())
      JSON.stringify(gemini.codec.encodeResponse(response, context()))
      gemini.codec.decodeError(first)
    }
  })

  test('frames that are no chunks are skipped', () => {
    const decoder = gemini.codec.createDecoder(context())
    for (const data of ['', '[]', '{', 'null', '[DONE]', '"x"', '{"candidates":7}', '\ud800']) {
      for (const event of decoder.push(data, '')) expect(event.type).toBe('start')
    }
    expect(decoder.end()).toEqual([])
  })

  test('depth is refused, or told as text, in no time', () => {
    const text = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const part = { functionCall: { name: 'f', args: JSON.parse(text) } }
    const cpuMs = startCpuTime()
    const refused = () =>
      gemini.codec.decodeRequest({ contents: [{ role: 'model', parts: [part] }] }, target)
    expect(refused).toThrow(TranslationError)
    const chunk = { candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }] }
    expect(gemini.codec.decodeResponse(chunk, context()).choices).toHaveLength(1)
    const turns = [assistant(call('a', 'f', text))]
    const encoded = gemini.codec.encodeRequest(request({ turns }), options)
    expect(JSON.stringify(encoded)).toContain(JSON.stringify(text))
    expect(cpuMs()).toBeLessThan(1000)
  })
})
