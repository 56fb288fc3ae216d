import { describe, expect, test } from 'bun:test'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import type { CanonicalRequest, NativeUse, Part } from '../../../src/protocols/canonical/request.ts'
import { assistant, decode, essence, user } from './codec-support.ts'

const base64 = (media_type: string) => ({ type: 'base64', media_type, data: 'AAAA' })
const ephemeral = { type: 'ephemeral' }
const call = { type: 'tool_use', id: 'c1', name: 'look', input: { at: 1 } }

const partsOf = (blocks: readonly object[]) =>
  essence(decode({ messages: [user(blocks)] }).turns.flatMap(({ parts }) => parts)) as Part[]

describe('content blocks', () => {
  test.each<[string, object, object[]]>([
    ['text', { type: 'text', text: 'a' }, [{ type: 'text', text: 'a' }]],
    ['T21: empty text is none', { type: 'text', text: '' }, []],
    [
      'an image as data',
      { type: 'image', source: base64('image/png') },
      [{ type: 'image', source: { type: 'data', mediaType: 'image/png', data: 'AAAA' } }],
    ],
    [
      'T15: an image by address',
      { type: 'image', source: { type: 'url', url: 'https://a/b' }, cache_control: ephemeral },
      [{ type: 'image', source: { type: 'url', url: 'https://a/b' }, cache: '5m' }],
    ],
    [
      'a PDF',
      {
        type: 'document',
        source: base64('application/pdf'),
        title: 'T',
        context: 'C',
        citations: { enabled: true },
        cache_control: { ...ephemeral, ttl: '1h' },
      },
      [
        {
          type: 'document',
          source: { type: 'data', mediaType: 'application/pdf', data: 'AAAA' },
          title: 'T',
          context: 'C',
          isCited: true,
          cache: '1h',
        },
      ],
    ],
    [
      'a PDF by address',
      { type: 'document', source: { type: 'url', url: 'https://a/b' } },
      [
        {
          type: 'document',
          source: { type: 'url', url: 'https://a/b', mediaType: 'application/pdf' },
        },
      ],
    ],
    [
      'a document of text',
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
      [{ type: 'document', source: { type: 'text', text: 'x' } }],
    ],
    [
      'a document of chunks',
      {
        type: 'document',
        title: 'T',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      },
      [{ type: 'document', title: 'T', source: { type: 'text', text: 'a\nb' } }],
    ],
    [
      'a document of chunks with images',
      {
        type: 'document',
        title: 'T',
        cache_control: ephemeral,
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', source: base64('image/png') },
          ],
        },
      },
      [
        { type: 'text', text: 'T' },
        { type: 'text', text: 'a' },
        {
          type: 'image',
          source: { type: 'data', mediaType: 'image/png', data: 'AAAA' },
          cache: '5m',
        },
      ],
    ],
    [
      'T8: thinking with its signature',
      { type: 'thinking', thinking: 'hm', signature: 'S+/=' },
      [{ type: 'reasoning', text: 'hm', signature: 'S+/=' }],
    ],
    [
      'thinking whose text is omitted',
      { type: 'thinking', thinking: '', signature: 'S' },
      [{ type: 'reasoning', text: '', signature: 'S' }],
    ],
    [
      'thinking without a signature',
      { type: 'thinking', thinking: 'hm', signature: '' },
      [{ type: 'reasoning', text: 'hm' }],
    ],
    [
      'T8: redacted thinking',
      { type: 'redacted_thinking', data: 'D==' },
      [{ type: 'reasoning', text: '', signature: 'D==', isRedacted: true }],
    ],
    [
      'a call',
      { ...call, cache_control: ephemeral },
      [
        {
          type: 'tool-call',
          callId: 'c1',
          name: 'look',
          kind: 'function',
          input: '{"at":1}',
          cache: '5m',
        },
      ],
    ],
  ])('%s', (_name, block, parts) => {
    expect(partsOf([block])).toEqual(parts as Part[])
  })

  test.each<[string, unknown, object]>([
    ['text', 'done', { parts: [{ type: 'text', text: 'done' }] }],
    ['nothing', undefined, { parts: [] }],
    ['an empty text', '', { parts: [] }],
    [
      'T15: text, an image and a document',
      [
        { type: 'text', text: 'a', cache_control: ephemeral },
        { type: 'image', source: { type: 'url', url: 'https://a/b' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
      ],
      {
        parts: [
          { type: 'text', text: 'a', cache: '5m' },
          { type: 'image', source: { type: 'url', url: 'https://a/b' } },
          { type: 'document', source: { type: 'text', text: 'x' } },
        ],
      },
    ],
  ])('a result of %s has the name of its call', (_name, content, more) => {
    const result = { type: 'tool_result', tool_use_id: 'c1', content, is_error: true }
    const { turns } = decode({ messages: [user('go'), assistant([call]), user([result])] })
    expect(essence(turns[2]?.parts)).toEqual([
      {
        type: 'tool-result',
        callId: 'c1',
        name: 'look',
        kind: 'function',
        isError: true,
        ...more,
      },
    ])
  })

  test('text keeps what it cites: places in documents as they are, pages by address', () => {
    const place = { type: 'char_location', cited_text: 'q', document_index: 0, document_title: 'T' }
    const page = {
      type: 'web_search_result_location',
      url: 'https://a/b',
      title: 'P',
      cited_text: 'r',
      encrypted_index: 'E',
    }
    expect(partsOf([{ type: 'text', text: 'a', citations: [place, page, 7] }])).toEqual([
      {
        type: 'text',
        text: 'a',
        citations: [
          { type: 'document', title: 'T', citedText: 'q', raw: place },
          { type: 'url', url: 'https://a/b', title: 'P', citedText: 'r' },
        ],
      },
    ])
  })
})

describe('a conversation', () => {
  test('T21: its system prompt, a string or blocks, is the first turn', () => {
    expect(essence(decode({ system: 'S' }).turns)).toEqual([
      { role: 'system', parts: [{ type: 'text', text: 'S' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    ])
    const system = [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B', cache_control: ephemeral },
    ]
    expect(essence(decode({ system }).turns[0]?.parts)).toEqual([
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B', cache: '5m' },
    ])
    for (const nothing of ['', null, [], [{ type: 'text', text: '' }]]) {
      expect(decode({ system: nothing }).turns).toHaveLength(1)
    }
  })

  test('T21: role system in its middle is an instruction there', () => {
    const messages = [user('a'), { role: 'system', content: 'Be short.' }, user('b')]
    expect(decode({ messages }).turns.map(({ role }) => role)).toEqual(['user', 'system', 'user'])
  })

  test('T21: an instruction of which nothing can be read is no turn', () => {
    const empty = { role: 'system', content: [{ type: 'tool_addition' }] }
    const { turns } = decode({ messages: [user('a'), empty, user('b')] })
    expect(turns.map(({ parts }) => parts.length)).toEqual([2])
  })

  test('T6: turns keep their roles; neighbours are one, and an empty one stays', () => {
    const messages = [user('a'), user('b'), assistant(''), user([]), assistant('go on with')]
    const { turns } = decode({ messages })
    expect(turns.map(({ role, parts }) => [role, parts.length])).toEqual([
      ['user', 2],
      ['assistant', 0],
      ['user', 0],
      ['assistant', 1],
    ])
  })

  test('every part and tool knows where the client wrote it', () => {
    const inner = { type: 'text', text: 'x' }
    const { turns, tools, format } = decode({
      system: 'S',
      messages: [
        user('a'),
        assistant([call]),
        user([{ type: 'tool_result', tool_use_id: 'c1', content: [inner] }]),
      ],
      tools: [{ name: 'look' }],
      output_config: { format: { type: 'json_schema', schema: {} } },
    })
    const paths = turns.flatMap(({ parts }) =>
      parts.flatMap((part) => [part, ...('parts' in part ? part.parts : [])].map(({ at }) => at)),
    )
    expect([...paths, tools[0]?.at, format?.type === 'schema' && format.at]).toEqual([
      'system',
      'messages[0].content',
      'messages[1].content[0]',
      'messages[2].content[0]',
      'messages[2].content[0].content[0]',
      'tools[0]',
      'output_config.format',
    ])
  })

  test('a cache mark of the whole request is one of its last block', () => {
    const cached = decode({
      messages: [user('a'), assistant('b')],
      cache_control: { ...ephemeral, ttl: '1h' },
    })
    expect(cached.turns.map(({ parts }) => parts[0]?.cache)).toEqual([undefined, '1h'])
    expect(cached.native).toEqual([])
    const block = { type: 'text', text: 'a', cache_control: ephemeral }
    const own = decode({ messages: [user([block])], cache_control: { ...ephemeral, ttl: '1h' } })
    expect(own.turns[0]?.parts[0]?.cache).toBe('5m')
  })
})

describe('settings', () => {
  const schema = { type: 'object', properties: {} }
  test.each<[string, object, Partial<CanonicalRequest>]>([
    ['T16: the limit', { max_tokens: 7 }, { maxOutputTokens: 7 }],
    [
      'sampling',
      { temperature: 0.5, top_p: 0.9, top_k: 3 },
      { temperature: 0.5, topP: 0.9, topK: 3 },
    ],
    ['T19: stop sequences', { stop_sequences: ['END'] }, { stop: ['END'] }],
    ['no stop sequences', { stop_sequences: [] }, { stop: undefined }],
    ['the user', { metadata: { user_id: '{"a":1}' } }, { userId: '{"a":1}' }],
    ['the tier', { service_tier: 'standard_only' }, { serviceTier: 'default' }],
    ['stream', { stream: true }, { stream: true }],
    [
      'a schema',
      { output_config: { format: { type: 'json_schema', schema } } },
      { format: { type: 'schema', at: 'output_config.format', schema } },
    ],
    [
      'a schema as in the beta',
      { output_format: { type: 'json_schema', schema } },
      { format: { type: 'schema', at: 'output_format', schema } },
    ],
    ['T17: automatic choice', { tool_choice: { type: 'auto' } }, { toolChoice: { type: 'auto' } }],
    ['T17: any tool', { tool_choice: { type: 'any' } }, { toolChoice: { type: 'required' } }],
    ['T17: no tool', { tool_choice: { type: 'none' } }, { toolChoice: { type: 'none' } }],
    [
      'T17: one tool, one call',
      { tool_choice: { type: 'tool', name: 'a', disable_parallel_tool_use: true } },
      { toolChoice: { type: 'tool', name: 'a' }, parallelToolCalls: false },
    ],
    [
      'adaptive thinking',
      { thinking: { type: 'adaptive' } },
      { reasoning: { amount: { type: 'auto' } } },
    ],
    [
      'adaptive thinking with effort, hidden',
      {
        thinking: { type: 'adaptive', display: 'omitted' },
        output_config: { effort: 'xhigh' },
      },
      { reasoning: { amount: { type: 'effort', effort: 'xhigh' }, show: 'none' } },
    ],
    [
      'effort alone',
      { output_config: { effort: 'low' } },
      { reasoning: { amount: { type: 'effort', effort: 'low' } } },
    ],
    [
      'thinking with a budget, shown',
      { thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' } },
      { reasoning: { amount: { type: 'budget', tokens: 2000 }, show: 'auto' } },
    ],
    ['no thinking', { thinking: { type: 'disabled' } }, { reasoning: { amount: { type: 'off' } } }],
  ])('%s', (_name, body, expected) => {
    const request = decode(body)
    expect(request).toMatchObject(expected)
    expect(request.native).toEqual([])
  })

  test('tools with and without a type are functions', () => {
    const tool = { name: 'look', description: 'Looks.', input_schema: schema, strict: true }
    const { tools, native } = decode({
      tools: [tool, { ...tool, type: 'custom', cache_control: ephemeral }, { ...tool, type: null }],
    })
    const decoded = {
      kind: 'function',
      name: 'look',
      description: 'Looks.',
      parameters: schema,
      strict: true,
    }
    expect(essence(tools)).toEqual([decoded, { ...decoded, cache: '5m' }, decoded])
    expect(native).toEqual([])
  })

  test('the model is the body’s, or else the path’s (Bedrock)', () => {
    expect(decode({}).model).toBe('m')
    expect(decode({ model: undefined }).model).toBe('path')
  })
})

describe('what only this protocol has is named', () => {
  const block = (type: string) => ({ messages: [user([{ type, id: 'x' }])] })
  test.each<[object, NativeUse['feature'], string]>([
    [{ tools: [{ type: 'web_search_20260318', name: 'web_search' }] }, 'hosted_tool', 'tools[0]'],
    [{ tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }] }, 'hosted_tool', 'tools[0]'],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'vendor_tool', 'tools[0]'],
    [{ tools: [{ type: 'computer_toolset_20260801' }] }, 'vendor_tool', 'tools[0]'],
    [{ tools: [{ type: 'memory_20250818', name: 'memory' }] }, 'vendor_tool', 'tools[0]'],
    [{ tools: [{ name: 'a', defer_loading: true }] }, 'deferred_tool', 'tools[0].defer_loading'],
    [{ mcp_servers: [{ name: 'x' }] }, 'hosted_tool', 'mcp_servers'],
    [{ container: 'container_1' }, 'hosted_tool', 'container'],
    [{ thread: { type: 'create' } }, 'stored_state', 'thread'],
    [{ context_management: { edits: [] } }, 'context_management', 'context_management'],
    [{ speed: 'fast' }, 'unknown_field', 'speed'],
    [{ inference_geo: 'eu' }, 'unknown_field', 'inference_geo'],
    [{ service_tier: 'newer' }, 'unknown_field', 'service_tier'],
    [{ metadata: { other: 1 } }, 'unknown_field', 'metadata.other'],
    [{ output_config: { task_budget: {} } }, 'unknown_field', 'output_config.task_budget'],
    [{ output_config: { effort: 'newer' } }, 'unknown_field', 'output_config.effort'],
    [
      { thinking: { type: 'adaptive', block_binding: {} } },
      'unknown_field',
      'thinking.block_binding',
    ],
    [{ thinking: { type: 'between_tools' } }, 'unknown_field', 'thinking'],
    [block('server_tool_use'), 'hosted_item', 'messages[0].content[0]'],
    [block('web_search_tool_result'), 'hosted_item', 'messages[0].content[0]'],
    [block('mcp_tool_use'), 'hosted_item', 'messages[0].content[0]'],
    [block('container_upload'), 'hosted_item', 'messages[0].content[0]'],
    [block('compaction'), 'vendor_item', 'messages[0].content[0]'],
    [block('search_result'), 'unknown_part', 'messages[0].content[0]'],
    [block('newer'), 'unknown_part', 'messages[0].content[0]'],
    [
      { messages: [user([{ type: 'image', source: { type: 'file', file_id: 'f' } }])] },
      'uploaded_file',
      'messages[0].content[0]',
    ],
    [
      {
        messages: [
          user([
            {
              type: 'tool_result',
              tool_use_id: 'c',
              content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }],
            },
          ]),
        ],
      },
      'uploaded_file',
      'messages[0].content[0].content[0]',
    ],
    [
      { messages: [user('a'), { role: 'system', content: [{ type: 'tool_addition' }] }] },
      'vendor_item',
      'messages[1].content[0]',
    ],
  ])('%j', (body, feature, at) => {
    expect(decode(body).native).toEqual([{ feature, at }])
  })

  test.each([
    { speed: 'standard' },
    { tools: [] },
    { mcp_servers: [] },
    { container: null },
    { anthropic_version: 'bedrock-2023-05-31' },
    { thinking: null },
  ])('%j says nothing', (body) => {
    expect(decode(body).native).toEqual([])
  })
})

describe('what the vendor would refuse is refused with its path', () => {
  const block = (more: object) => ({ messages: [user([more])] })
  test.each<[object, string]>([
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    [block({ type: 'text' }), 'messages[0].content[0].text'],
    [block({ type: 'image' }), 'messages[0].content[0].source'],
    [
      block({ type: 'image', source: { type: 'base64', data: 'A' } }),
      'messages[0].content[0].source.media_type',
    ],
    [block({ type: 'document', source: { type: 'url' } }), 'messages[0].content[0].source.url'],
    [block({ type: 'tool_use', name: 'a' }), 'messages[0].content[0].id'],
    [block({ type: 'tool_result', content: 'x' }), 'messages[0].content[0].tool_use_id'],
    [
      block({ type: 'tool_result', tool_use_id: 'c', content: 7 }),
      'messages[0].content[0].content',
    ],
    [
      block({ type: 'tool_result', tool_use_id: 'c', content: [7] }),
      'messages[0].content[0].content[0]',
    ],
    [{ system: [7] }, 'system[0]'],
    [{ tools: [7] }, 'tools[0]'],
    [{ tools: [{ input_schema: {} }] }, 'tools[0].name'],
    [{ tool_choice: { type: 'some' } }, 'tool_choice.type'],
    [{ tool_choice: { type: 'tool' } }, 'tool_choice.name'],
    [{ stop_sequences: 'END' }, 'stop_sequences'],
    [{ top_p: 'x' }, 'top_p'],
    [{ output_config: { format: { type: 'xml' } } }, 'output_config.format.type'],
    [{ output_format: { type: 'json_schema' } }, 'output_format.schema'],
  ])('%j', (body, param) => {
    expect(() => decode(body)).toThrow(TranslationError)
    try {
      decode(body)
    } catch (error) {
      expect(error instanceof TranslationError && error.fault.param).toBe(param)
    }
  })

  test('input that is nested deeper than it can be written is refused, not a fault of ours', () => {
    const input = JSON.parse(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)
    const messages = [assistant([{ ...call, input }])]
    expect(() => decode({ messages })).toThrow(TranslationError)
  })
})
