import { describe, expect, test } from 'bun:test'
import type {
  CanonicalRequest,
  Part,
  Tool,
  ToolCallPart,
  Turn,
} from '../../../src/protocols/canonical/request.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { encode, requestOf } from './codec-support.ts'

const text = (value: string): Part => ({ type: 'text', text: value })
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const system = (...parts: Part[]): Turn => ({ role: 'system', parts })
const call = (more: Partial<ToolCallPart> = {}): Part => ({
  type: 'tool-call',
  callId: 'c1',
  name: 'look',
  kind: 'function',
  input: '{"at":1}',
  ...more,
})
const result = (...parts: readonly { type: 'text'; text: string }[]): Part => ({
  type: 'tool-result',
  callId: 'c1',
  name: 'look',
  kind: 'function',
  parts,
})
const wireCall = { type: 'tool_use', id: 'c1', name: 'look', input: { at: 1 } }

/** A turn's content behind a message of the user. */
const contentOf = (turn: Turn): unknown => {
  const { messages } = encode({ turns: [user(text('go')), turn] }) as { messages: JsonObject[] }
  return messages.at(-1)?.content
}

describe('parts', () => {
  test.each<[string, Part, object]>([
    [
      'an image as data',
      {
        type: 'image',
        source: { type: 'data', mediaType: 'image/png', data: 'AAAA' },
        detail: 'low',
        cache: '1h',
      },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
    ],
    [
      'T15: an image by address',
      { type: 'image', source: { type: 'url', url: 'https://a/b' } },
      { type: 'image', source: { type: 'url', url: 'https://a/b' } },
    ],
    [
      'a PDF',
      {
        type: 'document',
        source: { type: 'data', mediaType: 'application/pdf', data: 'AAAA' },
        title: 'T',
        context: 'C',
        isCited: true,
      },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
        title: 'T',
        context: 'C',
        citations: { enabled: true },
      },
    ],
    [
      'a PDF by address',
      { type: 'document', source: { type: 'url', url: 'https://a/b' } },
      { type: 'document', source: { type: 'url', url: 'https://a/b' } },
    ],
    [
      'a document of text',
      { type: 'document', source: { type: 'text', text: 'x' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
    ],
    [
      'text that came as data',
      {
        type: 'document',
        source: { type: 'data', mediaType: 'text/csv', data: btoa('a;b\xc3\xa4') },
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a;bä' } },
    ],
    ['a refusal', { type: 'refusal', text: 'No.' }, { type: 'text', text: 'No.' }],
  ])('%s', (_name, part, block) => {
    expect(contentOf(user(part, text('b')))).toEqual([
      { type: 'text', text: 'go' },
      block,
      { type: 'text', text: 'b' },
    ])
  })

  test('sound and video, which the protocol can’t carry, are not written', () => {
    const source = { type: 'url', url: 'https://a/b' } as const
    expect(contentOf(user({ type: 'audio', source }, { type: 'video', source }))).toBe('go')
  })

  test('a document’s places stay cited, pages of the web can’t be', () => {
    const raw = { type: 'char_location', cited_text: 'q' }
    const citations = [
      { type: 'document', raw },
      { type: 'url', url: 'https://a/b' },
      { type: 'document', raw: { type: 'file_citation', file_id: 'another vendor’s' } },
    ] as const
    const said = { type: 'text', text: 'a', citations } as const
    expect(contentOf(assistant(said))).toEqual([{ type: 'text', text: 'a', citations: [raw] }])
    const paged = { type: 'text', text: 'a', citations: citations.slice(1) } as const
    expect(contentOf(assistant(paged))).toBe('a')
  })
})

describe('calls and results', () => {
  test.each<[string, Partial<ToolCallPart>, object]>([
    ['T5: an object', {}, wireCall],
    ['nothing', { input: '' }, { ...wireCall, input: {} }],
    ['no JSON', { input: '{"a":' }, { ...wireCall, input: { input: '{"a":' } }],
    ['no object', { input: '[1]' }, { ...wireCall, input: { input: '[1]' } }],
    ['free text', { kind: 'custom', input: '{}' }, { ...wireCall, input: { input: '{}' } }],
    [
      'an id of others',
      { callId: 'functions.look:0|x' },
      { ...wireCall, id: 'functions_look_0_x' },
    ],
  ])('arguments of %s', (_name, more, block) => {
    expect(contentOf(assistant(call(more)))).toEqual([block])
  })

  test('integers beyond 2^53 keep their digits', () => {
    const turns = [user(text('go')), assistant(call({ input: '{"id":12345678901234567890}' }))]
    const body = messagesCodec.encodeRequest(requestOf({ turns }), {
      model: 'up',
      quirks: new Set(),
      defaultMaxOutputTokens: 1,
    })
    expect(JSON.stringify(body)).toContain('"input":{"id":12345678901234567890}')
  })

  test('T15: a result holds text, images and documents', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a/b' } } as const
    const document = { type: 'document', source: { type: 'text', text: 'x' } } as const
    const part = {
      ...result(),
      isError: true,
      cache: '5m',
      parts: [{ type: 'text', text: 'a' }, image, document],
    } as Part
    const { messages } = encode({ turns: [user(text('go')), assistant(call()), user(part)] })
    expect((messages as JsonObject[])[2]).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c1',
          content: [
            { type: 'text', text: 'a' },
            image,
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: 'x' },
            },
          ],
          is_error: true,
          cache_control: { type: 'ephemeral' },
        },
      ],
    })
  })

  test('results come first in their message, and say nothing where they have nothing to say', () => {
    const turns = [
      user(text('go')),
      assistant(call()),
      system(text('Hurry.')),
      user(text('And?'), result({ type: 'text', text: 'ok' }), {
        ...result(),
        callId: 'c:2',
      } as Part),
    ]
    expect(encode({ turns }).messages).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [wireCall] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'ok' },
          { type: 'tool_result', tool_use_id: 'c_2' },
          { type: 'text', text: '<system>\nHurry.\n</system>' },
          { type: 'text', text: 'And?' },
        ],
      },
    ])
  })
})

describe('turns', () => {
  test.each<[string, Turn[], object]>([
    [
      'one text of instructions is a string',
      [system(text('S')), user(text('a'))],
      { system: 'S', messages: [{ role: 'user', content: 'a' }] },
    ],
    [
      'several are blocks, developer’s too',
      [system(text('S')), { role: 'developer', parts: [text('D')] }, user(text('a'))],
      {
        system: [
          { type: 'text', text: 'S' },
          { type: 'text', text: 'D' },
        ],
        messages: [{ role: 'user', content: 'a' }],
      },
    ],
    [
      'a marked one is a block',
      [system({ ...text('S'), cache: '5m' } as Part), user(text('a'))],
      { system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }] },
    ],
    [
      'T21: late instructions are the user’s, in tags, and join its message',
      [
        user(text('a')),
        system(text('S')),
        user(text('b')),
        assistant(text('c')),
        system(text('T')),
      ],
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: '<system>\nS\n</system>' },
              { type: 'text', text: 'b' },
            ],
          },
          { role: 'assistant', content: 'c' },
          { role: 'user', content: '<system>\nT\n</system>' },
        ],
      },
    ],
    [
      'T21: instructions alone become the message that the vendor wants',
      [system(text('S'))],
      { messages: [{ role: 'user', content: '<system>\nS\n</system>' }] },
    ],
    [
      'T21: so they do where the user says nothing, and in the turns that follow',
      [system(text('S')), user(), assistant(text('a')), user(text('b'))],
      {
        messages: [
          { role: 'user', content: '<system>\nS\n</system>' },
          { role: 'assistant', content: 'a' },
          { role: 'user', content: 'b' },
        ],
      },
    ],
    [
      'T21: what is empty is left out',
      [
        user(text('a')),
        assistant(text(' \n'), call()),
        user(result()),
        assistant(),
        user(text('b')),
      ],
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [wireCall] },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'c1' },
              { type: 'text', text: 'b' },
            ],
          },
        ],
      },
    ],
    [
      'T8: signed reasoning goes back as it came, unsigned does not',
      [
        user(text('a')),
        assistant(
          { type: 'reasoning', text: 'hm', signature: 'S+/=' },
          { type: 'reasoning', text: '', signature: 'D==', isRedacted: true },
          { type: 'reasoning', text: 'elsewhere' },
          text('b'),
        ),
      ],
      {
        messages: [
          { role: 'user', content: 'a' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature: 'S+/=' },
              { type: 'redacted_thinking', data: 'D==' },
              { type: 'text', text: 'b' },
            ],
          },
        ],
      },
    ],
    [
      'reasoning never is a message’s end',
      [user(text('a')), assistant(text('b'), { type: 'reasoning', text: 'hm', signature: 'S' })],
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'b' },
        ],
      },
    ],
    [
      'a beginning of the answer is the last message',
      [user(text('a')), assistant(text('{'))],
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: '{' },
        ],
      },
    ],
  ])('%s', (_name, turns, expected) => {
    expect(encode({ turns })).toMatchObject(expected)
  })

  test('R8: a turn more leaves the bytes before it as they are', () => {
    const turns = [
      system(text('S')),
      user(text('a')),
      assistant({ type: 'reasoning', text: 'hm', signature: 'S' }, text('b'), call()),
      user(result({ type: 'text', text: 'ok' })),
      assistant(text('c')),
      user(text('d')),
    ]
    const bytes = (count: number) => JSON.stringify(encode({ turns: turns.slice(0, count) }))
    for (const count of [2, 4]) {
      const before = bytes(count)
      const [open] = before.split(/\]\}$/)
      expect(bytes(count + 2).slice(0, open?.length)).toBe(open ?? '')
    }
  })
})

describe('tools', () => {
  const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
    kind: 'function',
    name,
    ...more,
  })
  test.each<[string, Tool, object]>([
    [
      'whole',
      tool('a', { description: 'D', parameters: { type: 'object' }, strict: false, cache: '5m' }),
      {
        name: 'a',
        description: 'D',
        input_schema: { type: 'object' },
        strict: false,
        cache_control: { type: 'ephemeral' },
      },
    ],
    [
      'without parameters',
      tool('a'),
      { name: 'a', input_schema: { type: 'object', properties: {} } },
    ],
    [
      'with a schema that lacks its type',
      tool('a', { parameters: { properties: { b: {} } } }),
      { name: 'a', input_schema: { type: 'object', properties: { b: {} } } },
    ],
    [
      'T22: strict, with what the vendor does not know',
      tool('a', {
        strict: true,
        parameters: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } },
      }),
      {
        name: 'a',
        strict: true,
        input_schema: {
          type: 'object',
          properties: { n: { type: 'integer', description: '{minimum: 1}' } },
          additionalProperties: false,
        },
      },
    ],
    [
      'T14: custom, with a grammar',
      tool('a', {
        kind: 'custom',
        description: 'D',
        grammar: { syntax: 'lark', definition: 'start: "x"' },
      }),
      {
        name: 'a',
        description: 'D\n\nThe input must match this lark grammar:\nstart: "x"',
        input_schema: {
          type: 'object',
          properties: { input: { type: 'string' } },
          required: ['input'],
        },
      },
    ],
  ])('%s', (_name, one, wire) => {
    expect(encode({ tools: [one] }).tools).toEqual([wire])
  })

  test.each<[string, Partial<CanonicalRequest>, object | undefined]>([
    ['nothing', {}, undefined],
    ['auto', { toolChoice: { type: 'auto' } }, { type: 'auto' }],
    ['required', { toolChoice: { type: 'required' } }, { type: 'any' }],
    ['none', { toolChoice: { type: 'none' }, parallelToolCalls: false }, { type: 'none' }],
    ['a tool', { toolChoice: { type: 'tool', name: 'a' } }, { type: 'tool', name: 'a' }],
    [
      'one call at a time',
      { parallelToolCalls: false },
      { type: 'auto', disable_parallel_tool_use: true },
    ],
    [
      'any, one call at a time',
      { toolChoice: { type: 'required' }, parallelToolCalls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    ['several calls', { parallelToolCalls: true }, undefined],
  ])('T17: choice of %s', (_name, request, wire) => {
    expect(encode({ tools: [tool('a')], ...request }).tool_choice).toEqual(wire)
    expect(encode(request)).not.toContainKey('tool_choice')
  })

  test.each([
    [false, 'auto'],
    [true, 'any'],
  ])('T17: of allowed tools only these are told (required: %p)', (isRequired, type) => {
    const toolChoice = { type: 'allowed', names: ['b'], isRequired } as const
    const body = encode({ tools: [tool('a'), tool('b')], toolChoice })
    expect(body.tools).toMatchObject([{ name: 'b' }])
    expect(body.tool_choice).toEqual({ type })
  })
})

describe('settings', () => {
  test('T16: everything has its own name, and the conversation comes last', () => {
    const body = encode({
      stream: true,
      maxOutputTokens: 5,
      temperature: 1.7,
      topP: 0.9,
      topK: 3,
      stop: ['END'],
      userId: 'u',
      serviceTier: 'default',
      seed: 1,
    })
    expect(body).toEqual({
      model: 'up',
      max_tokens: 5,
      stream: true,
      temperature: 1,
      top_p: 0.9,
      top_k: 3,
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      service_tier: 'standard_only',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(Object.keys(body).at(-1)).toBe('messages')
  })

  test('the vendor demands a limit', () => {
    expect(encode({})).toMatchObject({ max_tokens: 8192 })
  })

  test('T22: a schema of the answer is closed', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 3 } } }
    expect(encode({ format: { type: 'schema', schema, name: 'x', strict: true } })).toMatchObject({
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { a: { type: 'string', description: '{maxLength: 3}' } },
            additionalProperties: false,
          },
        },
      },
    })
  })
})
