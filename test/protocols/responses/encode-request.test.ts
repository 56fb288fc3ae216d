import { describe, expect, test } from 'bun:test'
import type { CanonicalRequest, Part, Turn } from '../../../src/protocols/canonical/request.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { encodeRequest } from './scene.ts'

const text = (words: string): Part => ({ type: 'text', text: words })
const turn = (role: Turn['role'], ...parts: Part[]): Turn => ({ role, parts })
const inputOf = (...turns: Turn[]) => encodeRequest({ turns }).input

describe('a request for an upstream', () => {
  test('nothing is kept there, and nothing is said that was not asked for', () => {
    expect(encodeRequest({ turns: [turn('user', text('Hi'))] })).toEqual({
      model: 'up',
      store: false,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    })
  })

  test('a leading system prompt is the instructions, the other roles stay in place', () => {
    const turns = [
      turn('system', text('A'), text('B')),
      turn('developer', text('C')),
      turn('user', text('D')),
      turn('system', text('E')),
    ]
    const { instructions, input } = encodeRequest({ turns })
    expect(instructions).toBe('A\n\nB')
    expect(input).toEqual([
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'C' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'D' }] },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'E' }] },
    ])
  })

  test('a system prompt alone is input: the vendor wants some', () => {
    const { instructions, input } = encodeRequest({ turns: [turn('system', text('A'), text('B'))] })
    expect(instructions).toBeUndefined()
    expect(input).toEqual([
      {
        type: 'message',
        role: 'system',
        content: [
          { type: 'input_text', text: 'A' },
          { type: 'input_text', text: 'B' },
        ],
      },
    ])
  })

  test('T8: signed reasoning goes back as it came; unsigned is left out', () => {
    const input = inputOf(
      turn(
        'assistant',
        { type: 'reasoning', text: 'hm', signature: 'E', id: 'rs_1' },
        { type: 'reasoning', text: '', signature: 'F', id: 'x'.repeat(65) },
        { type: 'reasoning', text: 'unsigned' },
        text('Yes.'),
      ),
    )
    expect(input).toEqual([
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'E',
      },
      { type: 'reasoning', summary: [], encrypted_content: 'F' },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
      },
    ])
  })

  test('T14: calls and results are items of their kind, around the words between them', () => {
    const call = { type: 'tool-call', callId: 'c', name: 'f' } as const
    const result = { type: 'tool-result', callId: 'c', name: 'f' } as const
    const png = { type: 'data', mediaType: 'image/png', data: 'AA' } as const
    const input = inputOf(
      turn('assistant', text('A'), { ...call, kind: 'function', input: '' }, text('B')),
      turn(
        'user',
        { ...result, kind: 'function', parts: [{ type: 'text', text: 'one' }] },
        { ...result, kind: 'custom', parts: [] },
        {
          ...result,
          kind: 'function',
          parts: [text('x'), { type: 'image', source: png }] as never,
        },
        text('C'),
      ),
      turn('assistant', { ...call, kind: 'custom', input: 'free' }),
    )
    expect(input).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'A', annotations: [] }],
      },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'B', annotations: [] }],
      },
      { type: 'function_call_output', call_id: 'c', output: 'one' },
      { type: 'custom_tool_call_output', call_id: 'c', output: '' },
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [
          { type: 'input_text', text: 'x' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA' },
        ],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'C' }] },
      { type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'free' },
    ])
  })

  test.each<[Part, JsonObject]>([
    [
      { type: 'image', source: { type: 'url', url: 'https://a' }, detail: 'high' },
      { type: 'input_image', image_url: 'https://a', detail: 'high' },
    ],
    [
      { type: 'document', source: { type: 'url', url: 'https://a' }, title: 'T' },
      { type: 'input_file', file_url: 'https://a' },
    ],
    [
      {
        type: 'document',
        source: { type: 'data', mediaType: 'application/pdf', data: 'AA' },
        title: 'T.pdf',
      },
      { type: 'input_file', filename: 'T.pdf', file_data: 'data:application/pdf;base64,AA' },
    ],
    [
      { type: 'document', source: { type: 'data', mediaType: 'application/pdf', data: 'AA' } },
      { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,AA' },
    ],
    [
      { type: 'document', source: { type: 'text', text: 'words' }, title: 'T' },
      { type: 'input_text', text: 'T\n\nwords' },
    ],
    [
      { type: 'audio', source: { type: 'data', mediaType: 'audio/mpeg', data: 'AA' } },
      { type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } },
    ],
  ])('T15: %j is delivered', (part, content) => {
    expect(inputOf(turn('user', part))).toEqual([
      { type: 'message', role: 'user', content: [content] },
    ])
  })

  test('an image that a model drew is shown by the user', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a' } } as const
    expect(inputOf(turn('assistant', text('A'), image))).toMatchObject([
      { role: 'assistant', content: [{ type: 'output_text' }] },
      { role: 'user', content: [{ type: 'input_image' }] },
    ])
  })

  test.each<[Partial<CanonicalRequest>, JsonObject]>([
    [{ stream: true }, { stream: true }],
    [{ maxOutputTokens: 1 }, { max_output_tokens: 16 }],
    [{ maxOutputTokens: 900 }, { max_output_tokens: 900 }],
    [
      { temperature: 0, topP: 0.5 },
      { temperature: 0, top_p: 0.5 },
    ],
    [{ logprobs: 2 }, { top_logprobs: 2, include: ['message.output_text.logprobs'] }],
    [
      { userId: 'u', serviceTier: 'flex' },
      { safety_identifier: 'u', service_tier: 'flex' },
    ],
    [{ userId: 'u'.repeat(65) }, {}],
    [
      { metadata: { a: 'b' }, promptCacheKey: 'k' },
      { metadata: { a: 'b' }, prompt_cache_key: 'k' },
    ],
    [{ reasoning: { amount: { type: 'off' } } }, { reasoning: { effort: 'none' } }],
    [
      { reasoning: { amount: { type: 'auto' }, show: 'auto' } },
      { reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] },
    ],
    [
      { reasoning: { amount: { type: 'effort', effort: 'max' }, show: 'none' } },
      { reasoning: { effort: 'max' }, include: ['reasoning.encrypted_content'] },
    ],
    [
      { reasoning: { amount: { type: 'budget', tokens: 4000 } } },
      { reasoning: { effort: 'medium' }, include: ['reasoning.encrypted_content'] },
    ],
    [
      { format: { type: 'json' }, verbosity: 'high' },
      { text: { format: { type: 'json_object' }, verbosity: 'high' } },
    ],
    [
      { format: { type: 'schema', schema: { type: 'object' } } },
      { text: { format: { type: 'json_schema', name: 'output', schema: { type: 'object' } } } },
    ],
  ])('%j', (settings, fields) => {
    expect(encodeRequest(settings)).toEqual({ model: 'up', store: false, input: [], ...fields })
  })

  test('T17: tools, and the choice of them by their kind', () => {
    const tools = [
      { kind: 'function', name: 'f', parameters: { type: 'object' }, strict: true },
      { kind: 'function', name: 'g', description: 'G' },
      { kind: 'custom', name: 'p', grammar: { syntax: 'lark', definition: 'd' } },
    ] as const
    const allowed = { type: 'allowed', names: ['f', 'p'], isRequired: true } as const
    const body = encodeRequest({ tools, toolChoice: allowed, parallelToolCalls: false })
    expect(body).toMatchObject({
      parallel_tool_calls: false,
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true },
        {
          type: 'function',
          name: 'g',
          description: 'G',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
        { type: 'custom', name: 'p', format: { type: 'grammar', syntax: 'lark', definition: 'd' } },
      ],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'f' },
          { type: 'custom', name: 'p' },
        ],
      },
    })
    const chosen = encodeRequest({ tools, toolChoice: { type: 'tool', name: 'p' } })
    expect(chosen.tool_choice).toEqual({ type: 'custom', name: 'p' })
    expect(encodeRequest({ toolChoice: { type: 'auto' } })).not.toHaveProperty('tool_choice')
  })

  test('R8: the next turn’s body begins with all of this one’s', () => {
    const turns = [
      turn('system', text('S')),
      turn('user', text('A')),
      turn('assistant', { type: 'reasoning', text: 'r', signature: 'E' }, text('B'), {
        type: 'tool-call',
        callId: 'c',
        name: 'f',
        kind: 'function',
        input: '{}',
      }),
      turn('user', {
        type: 'tool-result',
        callId: 'c',
        name: 'f',
        kind: 'function',
        parts: [{ type: 'text', text: 'x' }],
      }),
      turn('assistant', text('C')),
    ]
    // A system prompt alone is input, and then not yet a prefix of anything.
    const bodies = turns
      .slice(1)
      .map((_, count) => JSON.stringify(encodeRequest({ turns: turns.slice(0, count + 2) })))
    for (const [index, body] of bodies.slice(1).entries()) {
      const before = bodies[index] ?? ''
      expect(body.startsWith(before.slice(0, before.lastIndexOf(']')))).toBe(true)
    }
  })
})
