import { describe, expect, test } from 'bun:test'
import type { CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import { emptyUsage } from '../../../src/protocols/canonical/usage.ts'
import { chatCodec } from '../../../src/protocols/chat/index.ts'
import { bare, context } from './codec-scene.ts'

const write = (response: CanonicalResponse) => bare(chatCodec.encodeResponse(response, context()))

describe('a whole answer for a client of chat', () => {
  test('has every field that the vendor has', () => {
    const usage = {
      ...emptyUsage,
      inputTokens: 5,
      outputTokens: 7,
      reasoningTokens: 3,
      cacheWriteTokens: 2,
    }
    const written = write({
      id: 'resp_1',
      model: 'up',
      usage,
      serviceTier: 'default',
      choices: [{ index: 0, parts: [{ type: 'text', text: 'Hi' }], finish: { reason: 'stop' } }],
    })
    expect(written).toEqual({
      id: 'chatcmpl-req1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'client-model',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 7,
        total_tokens: 14,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 2, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 3,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      service_tier: 'default',
    })
  })

  test('has all kinds of parts', () => {
    const written = write({
      choices: [
        {
          index: 0,
          parts: [
            { type: 'reasoning', text: 'R1', signature: 's1' },
            { type: 'reasoning', text: '', signature: 's2', id: 'rs_2' },
            { type: 'text', text: 'one ', citations: [{ type: 'url', url: 'https://a.test' }] },
            {
              type: 'text',
              text: 'two',
              citations: [{ type: 'url', url: 'https://b.test', start: 0, end: 3 }],
              logprobs: [
                { token: 'two', logprob: -1, bytes: [1], top: [{ token: 'x', logprob: -2 }] },
              ],
            },
            { type: 'image', source: { type: 'data', mediaType: 'image/png', data: 'AAA=' } },
            { type: 'tool-call', callId: 'c1', name: 'f', kind: 'function', input: '{}' },
            { type: 'tool-call', callId: 'c2', name: 'g', kind: 'custom', input: 'raw' },
          ],
          finish: { reason: 'tool-calls' },
        },
      ],
    })
    const note = (url: string, start_index: number, end_index: number) => ({
      type: 'url_citation',
      url_citation: { url, title: '', start_index, end_index },
    })
    expect(written).toMatchObject({
      choices: [
        {
          message: {
            content: 'one two',
            annotations: [note('https://a.test', 0, 0), note('https://b.test', 4, 7)],
            reasoning_content: 'R1',
            reasoning_details: [
              { type: 'reasoning.encrypted', data: 's1', id: null, format: 'tollgate', index: 0 },
              { type: 'reasoning.encrypted', data: 's2', id: 'rs_2', format: 'tollgate', index: 1 },
            ],
            images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAA=' } }],
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
              { id: 'c2', type: 'custom', custom: { name: 'g', input: 'raw' } },
            ],
          },
          logprobs: {
            content: [
              {
                token: 'two',
                logprob: -1,
                bytes: [1],
                top_logprobs: [{ token: 'x', logprob: -2, bytes: null }],
              },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    })
  })

  test('has a refusal, and null where nothing was said', () => {
    const written = write({
      choices: [
        { index: 0, parts: [{ type: 'refusal', text: 'No.' }], finish: { reason: 'refusal' } },
        { index: 1, parts: [], finish: { reason: 'length' } },
      ],
    })
    expect(written).toMatchObject({
      choices: [
        { message: { content: null, refusal: 'No.' }, finish_reason: 'stop' },
        { message: { content: null, refusal: null }, finish_reason: 'length' },
      ],
      // T18: never without usage.
      usage: { prompt_tokens: 77, completion_tokens: 0, total_tokens: 77 },
    })
  })
})

describe('a whole answer of an upstream', () => {
  const read = (message: unknown, more: object = {}) =>
    bare(
      chatCodec.decodeResponse(
        { choices: [{ index: 0, message, finish_reason: 'stop', ...more }] },
        context(),
      ).choices[0],
    )
  const call = (more: object) => ({
    type: 'function',
    function: { name: 'f', arguments: '{}' },
    ...more,
  })
  const called = { type: 'tool-call', callId: 'c', name: 'f', kind: 'function', input: '{}' }

  const cases: readonly (readonly [
    name: string,
    message: unknown,
    parts: readonly unknown[],
    reason: string,
  ])[] = [
    ['text', { content: 'a' }, [{ type: 'text', text: 'a' }], 'stop'],
    [
      'Mistral’s parts',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'R' }] },
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      [
        { type: 'reasoning', text: 'R' },
        { type: 'text', text: 'ab' },
      ],
      'stop',
    ],
    [
      'T10: reasoning with two names',
      { content: 'a', reasoning: 'R', reasoning_content: 'R' },
      [
        { type: 'reasoning', text: 'R' },
        { type: 'text', text: 'a' },
      ],
      'stop',
    ],
    ['calls', { content: null, tool_calls: [call({ id: 'c' })] }, [called], 'tool-calls'],
    [
      'T5: arguments as an object, or none',
      {
        tool_calls: [
          call({ id: 'c', function: { name: 'f', arguments: { a: 1 } } }),
          call({ id: 'd', function: { name: 'f' } }),
        ],
      },
      [
        { ...called, input: '{"a":1}' },
        { ...called, callId: 'd' },
      ],
      'tool-calls',
    ],
    [
      'calls without an id of their own',
      { tool_calls: [call({ id: '' }), call({ id: 'c' }), call({ id: 'c' })] },
      [{ ...called, callId: 'call_req1_0' }, called, { ...called, callId: 'call_req1_2' }],
      'tool-calls',
    ],
    [
      'the older function_call',
      { function_call: { name: 'f', arguments: '{}' } },
      [{ ...called, callId: 'call_req1_0' }],
      'tool-calls',
    ],
    [
      'empty members',
      { content: 'a', function_call: { name: '', arguments: '' }, refusal: '' },
      [{ type: 'text', text: 'a' }],
      'stop',
    ],
    [
      'a custom call',
      { tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: '{}' } }] },
      [{ ...called, kind: 'custom' }],
      'tool-calls',
    ],
    ['a refusal', { content: null, refusal: 'No.' }, [{ type: 'refusal', text: 'No.' }], 'refusal'],
  ]
  for (const [name, message, parts, reason] of cases) {
    test(`${name} is read`, () =>
      expect(read(message)).toEqual({ index: 0, parts, finish: { reason } }))
  }

  test('has Snowflake’s members of both kinds, and no time', () => {
    const custom = { name: 'x', input: '' }
    expect(read({ tool_calls: [call({ id: 'c', custom })] })).toMatchObject({ parts: [called] })
    const head = { id: '', model: '', created: 0, service_tier: '', choices: [] }
    expect(bare(chatCodec.decodeResponse(head, context()))).toEqual({ choices: [] })
  })

  test('is an error, with status 200', () => {
    const body = { error: { message: 'Too busy', code: 429 } }
    expect(bare(chatCodec.decodeResponse(body, context()))).toEqual({
      choices: [],
      error: { message: 'Too busy', status: 429 },
    })
  })

  test('is nothing at all, and nothing is thrown', () => {
    const bodies = [
      {},
      { choices: null },
      { choices: [null, 5, {}] },
      { choices: [{ message: [] }], usage: 5 },
    ]
    for (const body of bodies) expect(() => chatCodec.decodeResponse(body, context())).not.toThrow()
  })
})
