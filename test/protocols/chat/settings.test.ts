import { describe, expect, test } from 'bun:test'
import type { CanonicalRequest } from '../../../src/protocols/canonical/request.ts'
import { chatCodec } from '../../../src/protocols/chat/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { bare, decode, options, request } from './codec-scene.ts'

/** A setting as a client writes it, as it is in between, and as it is written for an upstream. */
type Case = readonly [wire: JsonObject, decoded: Partial<CanonicalRequest>, written?: JsonObject]

const tool = { type: 'function', function: { name: 'f' } }
const patch = { type: 'custom', custom: { name: 'patch' } }
const decodedTool = { at: 'tools[0]', kind: 'function', name: 'f' } as const
const schema = { type: 'object', properties: { a: { type: 'string' } } }

const cases: readonly Case[] = [
  [
    { temperature: 0.5, top_p: 0.9, top_k: 5 },
    { temperature: 0.5, topP: 0.9, topK: 5 },
  ],
  [
    { presence_penalty: 0.1, frequency_penalty: -1, seed: 7 },
    { presencePenalty: 0.1, frequencyPenalty: -1, seed: 7 },
  ],
  [{ max_completion_tokens: 9 }, { maxOutputTokens: 9 }],
  [{ max_tokens: 9 }, { maxOutputTokens: 9 }, { max_completion_tokens: 9 }],
  [
    { max_tokens: 9, max_completion_tokens: 8 },
    { maxOutputTokens: 8 },
    { max_completion_tokens: 8 },
  ],
  [{ stop: 'x' }, { stop: ['x'] }, { stop: ['x'] }],
  [{ stop: ['x', 'y'] }, { stop: ['x', 'y'] }],
  [{ logit_bias: { 5: -100 } }, { logitBias: { 5: -100 } }],
  [{ logprobs: true }, { logprobs: 0 }],
  [{ logprobs: true, top_logprobs: 3 }, { logprobs: 3 }],
  [{ n: 3 }, { choices: 3 }],
  [{ user: 'u' }, { userId: 'u' }],
  [{ user: 'u', safety_identifier: 's' }, { userId: 's' }, { user: 's' }],
  [{ service_tier: 'flex' }, { serviceTier: 'flex' }],
  [{ service_tier: 'fast' }, { serviceTier: 'priority' }, { service_tier: 'priority' }],
  [{ prompt_cache_key: 'k' }, { promptCacheKey: 'k' }],
  [{ verbosity: 'low' }, { verbosity: 'low' }],
  [{ response_format: { type: 'json_object' } }, { format: { type: 'json' } }],
  [
    { response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } } },
    { format: { type: 'schema', at: 'response_format', name: 'n', schema, strict: true } },
  ],
  [{ reasoning_effort: 'none' }, { reasoning: { amount: { type: 'off' } } }],
  [{ reasoning_effort: 'xhigh' }, { reasoning: { amount: { type: 'effort', effort: 'xhigh' } } }],
  [{ reasoning_effort: 'default' }, {}, {}],
  [
    { reasoning: { effort: 'low' } },
    { reasoning: { amount: { type: 'effort', effort: 'low' } } },
    { reasoning_effort: 'low' },
  ],
  [
    { reasoning: { enabled: false } },
    { reasoning: { amount: { type: 'off' } } },
    { reasoning_effort: 'none' },
  ],
  [{ reasoning: { enabled: true } }, { reasoning: { amount: { type: 'auto' } } }, {}],
  [{ reasoning: { exclude: true } }, { reasoning: { show: 'none' } }, {}],
  [
    { reasoning: { max_tokens: 4_000 } },
    { reasoning: { amount: { type: 'budget', tokens: 4_000 } } },
    { reasoning_effort: 'medium' },
  ],
  [
    { thinking: { type: 'disabled' } },
    { reasoning: { amount: { type: 'off' } } },
    { reasoning_effort: 'none' },
  ],
  [{ thinking: { type: 'enabled' } }, { reasoning: { amount: { type: 'auto' } } }, {}],
  [{ tools: [tool] }, { tools: [decodedTool] }],
  [
    {
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: schema, strict: false },
        },
      ],
    },
    { tools: [{ ...decodedTool, description: 'd', parameters: schema, strict: false }] },
  ],
  [
    { tools: [{ ...tool, cache_control: { type: 'ephemeral' } }] },
    { tools: [{ ...decodedTool, cache: '5m' }] },
    { tools: [tool] },
  ],
  [{ tools: [{ function: { name: 'f' } }] }, { tools: [decodedTool] }, { tools: [tool] }],
  [
    { functions: [{ name: 'f' }] },
    { tools: [{ ...decodedTool, at: 'functions[0]' }] },
    { tools: [tool] },
  ],
  [{ tools: [patch] }, { tools: [{ at: 'tools[0]', kind: 'custom', name: 'patch' }] }],
  [
    {
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'patch',
            description: 'd',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
          },
        },
      ],
    },
    {
      tools: [
        {
          at: 'tools[0]',
          kind: 'custom',
          name: 'patch',
          description: 'd',
          grammar: { syntax: 'lark', definition: 'start: "x"' },
        },
      ],
    },
  ],
  [
    { tools: [{ type: 'custom', custom: { name: 'patch', format: { type: 'text' } } }] },
    { tools: [{ at: 'tools[0]', kind: 'custom', name: 'patch' }] },
    { tools: [patch] },
  ],
  ...(['none', 'auto', 'required'] as const).map(
    (type): Case => [
      { tools: [tool], tool_choice: type },
      { tools: [decodedTool], toolChoice: { type } },
    ],
  ),
  [
    { tools: [tool], tool_choice: 'any' },
    { tools: [decodedTool], toolChoice: { type: 'required' } },
    { tools: [tool], tool_choice: 'required' },
  ],
  [
    { tools: [tool], tool_choice: tool },
    { tools: [decodedTool], toolChoice: { type: 'tool', name: 'f' } },
  ],
  [
    { tools: [tool], function_call: { name: 'f' } },
    { tools: [decodedTool], toolChoice: { type: 'tool', name: 'f' } },
    { tools: [tool], tool_choice: tool },
  ],
  [
    { tools: [patch], tool_choice: patch },
    {
      tools: [{ at: 'tools[0]', kind: 'custom', name: 'patch' }],
      toolChoice: { type: 'tool', name: 'patch' },
    },
  ],
  [
    {
      tools: [tool, patch],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [tool, patch] },
      },
    },
    {
      tools: [decodedTool, { at: 'tools[1]', kind: 'custom', name: 'patch' }],
      toolChoice: { type: 'allowed', names: ['f', 'patch'], isRequired: true },
    },
  ],
  [
    { tools: [tool], parallel_tool_calls: false },
    { tools: [decodedTool], parallelToolCalls: false },
  ],
  [
    { tool_choice: 'auto', parallel_tool_calls: true },
    { toolChoice: { type: 'auto' }, parallelToolCalls: true },
    {},
  ],
]

describe('a setting of a chat request', () => {
  for (const [wire, decoded, written = wire] of cases) {
    const id = 'tool_choice' in wire || 'parallel_tool_calls' in wire ? 'T17: ' : ''
    test(`${id}${JSON.stringify(wire).slice(0, 90)} is read, and written again`, () => {
      const turns = [
        { role: 'user', parts: [{ type: 'text', text: 'Hi', at: 'messages[0].content' }] },
      ]
      const read = decode(wire)
      expect(JSON.parse(JSON.stringify(read))).toEqual({ ...request(), turns, ...decoded })
      const { messages, model, ...body } = chatCodec.encodeRequest(read, options())
      expect(model).toBe('upstream-model')
      expect(bare(body)).toEqual(written)
    })
  }

  test('T16: the limit is called as the upstream wants it', () => {
    const given = request({ maxOutputTokens: 5 })
    expect(chatCodec.encodeRequest(given, options())).toMatchObject({ max_completion_tokens: 5 })
    const older = chatCodec.encodeRequest(given, options('max_tokens'))
    expect(older).toMatchObject({ max_tokens: 5 })
    expect(older).not.toHaveProperty('max_completion_tokens')
    expect(chatCodec.encodeRequest(request(), options())).toEqual({
      model: 'upstream-model',
      messages: [],
    })
  })

  test('metadata, and an id that is too long, are what OpenAI would refuse: they stay here', () => {
    const read = decode({ metadata: { a: 'b' }, user: 'u'.repeat(65) })
    expect(read).toMatchObject({ metadata: { a: 'b' }, userId: 'u'.repeat(65) })
    const body = chatCodec.encodeRequest(read, options())
    expect(Object.keys(body)).toEqual(['model', 'messages'])
  })

  test('a stream asks for its usage, unless the upstream does not know how', () => {
    const given = request({ stream: true })
    expect(chatCodec.encodeRequest(given, options())).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(chatCodec.encodeRequest(given, options('no_stream_usage'))).toEqual({
      model: 'upstream-model',
      stream: true,
      messages: [],
    })
  })
})
