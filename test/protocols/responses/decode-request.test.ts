import { describe, expect, test } from 'bun:test'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import type { CanonicalRequest, Part } from '../../../src/protocols/canonical/request.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { bare, decodeRequest } from './scene.ts'

const user = (...content: JsonObject[]) => ({ role: 'user', content })
/** The parts of the only turn. */
const partsOf = (input: unknown): readonly Part[] => decodeRequest({ input }).turns[0]?.parts ?? []
const uses = (body: JsonObject) =>
  decodeRequest({ input: 'x', ...body }).native.map(({ feature, at }) => `${feature} ${at}`)

describe('a conversation', () => {
  test('a text, messages without a type, and instructions are turns', () => {
    expect(decodeRequest({ input: 'Hi' }).turns).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'Hi', at: 'input' }] },
    ])
    const input = [
      { role: 'system', content: 'S' },
      { role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
      { role: 'user', content: 'A' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'B' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'C' }] },
    ]
    expect(bare(decodeRequest({ input, instructions: 'I' }).turns)).toEqual([
      { role: 'system', parts: [{ type: 'text', text: 'I' }] },
      { role: 'system', parts: [{ type: 'text', text: 'S' }] },
      { role: 'developer', parts: [{ type: 'text', text: 'D' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B' },
        ],
      },
      { role: 'assistant', parts: [{ type: 'text', text: 'C' }] },
    ])
  })

  test('T21: empty content is no text; an empty message is a turn, empty instructions are not', () => {
    const input = [
      { role: 'developer', content: '' },
      { role: 'user', content: [{ type: 'input_text', text: '' }] },
      { role: 'assistant', content: null },
    ]
    expect(decodeRequest({ input, instructions: '' }).turns).toEqual([
      { role: 'user', parts: [] },
      { role: 'assistant', parts: [] },
    ])
  })

  test('T6: reasoning and tools keep their turns and roles, also without a role or a type', () => {
    const input = [
      { role: 'user', content: 'Weather?' },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ text: 'a' }, { text: 'b' }],
        encrypted_content: 'E',
      },
      { type: 'function_call', call_id: 'c1', name: 'get', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c1', output: 'sun' },
      { summary: [], encrypted_content: 'F' },
      { role: 'assistant', content: 'Sun.' },
    ]
    expect(decodeRequest({ input }).turns).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'Weather?', at: 'input[0].content' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'a\n\nb', signature: 'E', id: 'rs_1', at: 'input[1]' },
          {
            type: 'tool-call',
            callId: 'c1',
            name: 'get',
            kind: 'function',
            input: '{"a":1}',
            at: 'input[2]',
          },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            type: 'tool-result',
            callId: 'c1',
            name: 'get',
            kind: 'function',
            parts: [{ type: 'text', text: 'sun', at: 'input[3].output' }],
            at: 'input[3]',
          },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: '', signature: 'F', at: 'input[4]' },
          { type: 'text', text: 'Sun.', at: 'input[5].content' },
        ],
      },
    ])
  })

  test('reasoning shows its summary, or else itself; by its id alone it is nothing', () => {
    const content = [
      { type: 'reasoning_text', text: 'x' },
      { type: 'reasoning_text', text: 'y' },
    ]
    expect(partsOf([{ type: 'reasoning', summary: [], content }])).toMatchObject([
      { text: 'x\n\ny' },
    ])
    const both = { type: 'reasoning', summary: [{ text: 's' }], content }
    expect(partsOf([both])).toMatchObject([{ text: 's' }])
    expect(
      decodeRequest({ input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }).turns,
    ).toEqual([])
  })

  test.each<[unknown, string]>([
    [{ a: 1, b: 'x' }, '{"a":1,"b":"x"}'],
    ['{"a": 1}', '{"a": 1}'],
    ['', '{}'],
    [null, '{}'],
    ['not json', 'not json'],
  ])('T5: the arguments %j are %j', (given, input) => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: given }
    expect(partsOf([call])).toMatchObject([{ type: 'tool-call', kind: 'function', input }])
  })

  test('T14: calls of custom tools and their results are carried', () => {
    const input = [
      { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: '*** Begin' },
      {
        type: 'custom_tool_call_output',
        call_id: 'c',
        output: [{ type: 'input_text', text: 'ok' }],
      },
    ]
    const [call, result] = decodeRequest({ input }).turns.flatMap(({ parts }) => parts)
    expect(call).toMatchObject({ kind: 'custom', name: 'apply_patch', input: '*** Begin' })
    expect(result).toMatchObject({ kind: 'custom', name: 'apply_patch', parts: [{ text: 'ok' }] })
  })

  test('T14: items that only the vendor has are named, each at its place', () => {
    const kinds: readonly [string, string][] = [
      ['web_search_call', 'hosted_item'],
      ['file_search_call', 'hosted_item'],
      ['computer_call', 'vendor_item'],
      ['computer_call_output', 'vendor_item'],
      ['image_generation_call', 'hosted_item'],
      ['code_interpreter_call', 'hosted_item'],
      ['local_shell_call', 'vendor_item'],
      ['local_shell_call_output', 'vendor_item'],
      ['shell_call', 'vendor_item'],
      ['apply_patch_call', 'vendor_item'],
      ['apply_patch_call_output', 'vendor_item'],
      ['mcp_call', 'hosted_item'],
      ['mcp_list_tools', 'hosted_item'],
      ['mcp_approval_response', 'hosted_item'],
      ['tool_search_call', 'hosted_item'],
      ['tool_search_output', 'hosted_item'],
      ['program', 'hosted_item'],
      ['compaction', 'context_management'],
      ['compaction_trigger', 'context_management'],
      ['item_reference', 'stored_state'],
      ['something_new', 'unknown_part'],
    ]
    const input = [...kinds.map(([type]) => ({ type, id: 'x' })), { id: 'msg_1' }]
    const { turns, native } = decodeRequest({ input })
    expect(turns).toEqual([])
    expect(native).toEqual([
      ...kinds.map(([, feature], index) => ({ feature, at: `input[${index}]` }) as never),
      { feature: 'stored_state', at: `input[${kinds.length}]` },
    ])
  })
})

describe('content', () => {
  test.each<[JsonObject, object]>([
    [
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
      {
        type: 'image',
        source: { type: 'data', mediaType: 'image/png', data: 'AAAA' },
        detail: 'low',
      },
    ],
    [
      { type: 'input_image', image_url: 'https://a/b.png' },
      { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
    ],
    [
      { type: 'input_file', file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' },
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'data', mediaType: 'application/pdf', data: 'AAAA' },
      },
    ],
    [
      { type: 'input_file', file_data: 'AAAA', filename: 'a.txt' },
      {
        type: 'document',
        title: 'a.txt',
        source: { type: 'data', mediaType: 'text/plain', data: 'AAAA' },
      },
    ],
    [
      { type: 'input_file', file_url: 'https://a/b.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://a/b.pdf' } },
    ],
    [
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { type: 'audio', source: { type: 'data', mediaType: 'audio/mpeg', data: 'AAAA' } },
    ],
    [
      { type: 'refusal', refusal: 'No.' },
      { type: 'refusal', text: 'No.' },
    ],
    [
      {
        type: 'output_text',
        text: 'T',
        annotations: [
          { type: 'url_citation', url: 'https://a', title: 'A', start_index: 0, end_index: 1 },
          { type: 'file_citation', file_id: 'f', filename: 'b.txt', index: 1 },
        ],
      },
      {
        type: 'text',
        text: 'T',
        citations: [
          { type: 'url', url: 'https://a', title: 'A', start: 0, end: 1 },
          {
            type: 'document',
            title: 'b.txt',
            raw: { type: 'file_citation', file_id: 'f', filename: 'b.txt', index: 1 },
          },
        ],
      },
    ],
    [
      { type: 'input_text', text: 'T', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
      { type: 'text', text: 'T', cache: '1h' },
    ],
    [
      { type: 'input_text', text: 'T', prompt_cache_breakpoint: { mode: 'explicit' } },
      { type: 'text', text: 'T', cache: '5m' },
    ],
  ])('%j is read', (part, expected) => {
    const parts = partsOf([user(part)])
    expect(parts).toEqual([{ ...expected, at: 'input[0].content[0]' } as Part])
  })

  test('T15: images and files are read in results of tools too', () => {
    const output = [
      { type: 'input_text', text: 'T' },
      { type: 'input_image', image_url: 'https://a/b.png' },
      { type: 'input_file', file_url: 'https://a/b.pdf' },
    ]
    expect(partsOf([{ type: 'function_call_output', call_id: 'c', output }])).toMatchObject([
      {
        parts: [
          { type: 'text' },
          { type: 'image' },
          { type: 'document', at: 'input[0].output[2]' },
        ],
      },
    ])
  })

  test('uploaded files and unknown kinds are named, and the rest stays', () => {
    const { turns, native } = decodeRequest({
      input: [
        user(
          { type: 'input_image', file_id: 'file-1' },
          { type: 'input_file', file_id: 'file-2' },
          { type: 'hologram', data: 'x' },
          { type: 'input_text', text: 'T' },
        ),
      ],
    })
    expect(turns).toMatchObject([{ parts: [{ text: 'T', at: 'input[0].content[3]' }] }])
    expect(native).toEqual([
      { feature: 'uploaded_file', at: 'input[0].content[0]' },
      { feature: 'uploaded_file', at: 'input[0].content[1]' },
      { feature: 'unknown_part', at: 'input[0].content[2]' },
    ])
  })
})

describe('tools', () => {
  const parameters = { type: 'object', properties: {} }

  test('functions, custom tools and sets of tools are read', () => {
    const tools = [
      { type: 'function', name: 'f', description: 'F', parameters, strict: true },
      { type: 'function', name: 'g', parameters: null, strict: null },
      {
        type: 'custom',
        name: 'apply_patch',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
      { type: 'custom', name: 'free', format: { type: 'text' } },
      {
        type: 'namespace',
        name: 'crm',
        description: 'Customers.',
        tools: [
          { type: 'function', name: 'find', description: 'Finds.', parameters },
          { type: 'custom', name: 'sql' },
        ],
      },
    ]
    const decoded = decodeRequest({ input: 'x', tools }).tools
    expect(bare(decoded)).toEqual([
      { kind: 'function', name: 'f', description: 'F', parameters, strict: true },
      { kind: 'function', name: 'g' },
      {
        kind: 'custom',
        name: 'apply_patch',
        grammar: { syntax: 'lark', definition: 'start: "x"' },
      },
      { kind: 'custom', name: 'free' },
      {
        kind: 'function',
        name: 'crm__find',
        namespace: 'crm',
        description: 'Tools crm__…: Customers.\n\nFinds.',
        parameters,
      },
      { kind: 'custom', name: 'crm__sql', namespace: 'crm' },
    ])
    expect(decoded.map(({ at }) => at)).toEqual([
      'tools[0]',
      'tools[1]',
      'tools[2]',
      'tools[3]',
      'tools[4].tools[0]',
      'tools[4].tools[1]',
    ])
  })

  test('calls are known by the names of their tools', () => {
    const body = {
      tools: [
        { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] },
        { type: 'function', name: 'late', defer_loading: true },
      ],
      input: [
        ['find', 'crm'],
        ['late', 'late'],
        ['gone', 'gone'],
        ['other', 'erp'],
      ].map(([name, namespace]) => ({ type: 'function_call', call_id: 'c', name, namespace })),
    }
    const names = decodeRequest(body).turns[0]?.parts.map((part) => 'name' in part && part.name)
    expect(names).toEqual(['crm__find', 'late', 'gone', 'erp__other'])
  })

  test('tools that are added in mid-conversation are tools, once', () => {
    const tool = { type: 'function', name: 'f' }
    const added = { type: 'function', name: 'g' }
    const input = [
      { role: 'user', content: 'x' },
      { type: 'additional_tools', role: 'developer', tools: [tool, added, { type: 'web_search' }] },
    ]
    const { tools, turns, native } = decodeRequest({ input, tools: [tool] })
    expect(tools.map(({ name, at }) => [name, at])).toEqual([
      ['f', 'tools[0]'],
      ['g', 'input[1].tools[1]'],
    ])
    expect(turns).toHaveLength(1)
    expect(native).toEqual([{ feature: 'hosted_tool', at: 'input[1].tools[2]' }])
  })

  test('the vendor’s own tools are named, and so is the choice of one', () => {
    const types = ['local_shell', 'shell', 'apply_patch', 'computer_use_preview']
    const hosted = [
      'web_search',
      'file_search',
      'mcp',
      'tool_search',
      'image_generation',
      'new_one',
    ]
    const tools = [...types, ...hosted].map((type) => ({ type }))
    expect(uses({ tools })).toEqual([
      ...types.map((_, index) => `vendor_tool tools[${index}]`),
      ...hosted.map((_, index) => `hosted_tool tools[${index + types.length}]`),
    ])
    expect(uses({ tool_choice: { type: 'web_search' } })).toEqual(['hosted_tool tool_choice'])
    expect(uses({ tool_choice: { type: 'apply_patch' } })).toEqual(['vendor_tool tool_choice'])
  })

  test.each<[unknown, CanonicalRequest['toolChoice']]>([
    ['none', { type: 'none' }],
    ['auto', { type: 'auto' }],
    ['required', { type: 'required' }],
    [null, undefined],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', name: 'p' },
      { type: 'tool', name: 'p' },
    ],
    [
      { type: 'function', name: 'g', namespace: 'ns' },
      { type: 'tool', name: 'ns__g' },
    ],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
      { type: 'allowed', names: ['f'], isRequired: true },
    ],
    [
      { type: 'allowed_tools', mode: 'auto', tools: [] },
      { type: 'allowed', names: [], isRequired: false },
    ],
  ])('T17: tool_choice %j', (tool_choice, expected) => {
    expect(decodeRequest({ input: 'x', tool_choice }).toolChoice).toEqual(expected)
  })
})

describe('settings', () => {
  test.each<[JsonObject, Partial<CanonicalRequest>]>([
    [
      { max_output_tokens: 5, temperature: 0, top_p: 1 },
      { maxOutputTokens: 5, temperature: 0, topP: 1 },
    ],
    [{ parallel_tool_calls: false }, { parallelToolCalls: false }],
    [{ reasoning: { effort: 'none' } }, { reasoning: { amount: { type: 'off' } } }],
    [
      { reasoning: { effort: 'xhigh', summary: 'detailed' } },
      { reasoning: { amount: { type: 'effort', effort: 'xhigh' }, show: 'detailed' } },
    ],
    [
      { reasoning: { effort: null, generate_summary: 'concise' } },
      { reasoning: { show: 'concise' } },
    ],
    [{ text: { format: { type: 'text' }, verbosity: 'low' } }, { verbosity: 'low' }],
    [{ text: { format: { type: 'json_object' } } }, { format: { type: 'json' } }],
    [
      {
        text: {
          format: { type: 'json_schema', name: 'N', schema: { type: 'object' }, strict: true },
        },
      },
      {
        format: {
          type: 'schema',
          at: 'text.format',
          name: 'N',
          schema: { type: 'object' },
          strict: true,
        },
      },
    ],
    [{ include: ['message.output_text.logprobs'] }, { logprobs: 0 }],
    [{ include: ['message.output_text.logprobs'], top_logprobs: 3 }, { logprobs: 3 }],
    [{ metadata: { a: 'b' } }, { metadata: { a: 'b' } }],
    [{ user: 'u' }, { userId: 'u' }],
    [{ user: 'u', safety_identifier: 's' }, { userId: 's' }],
    [{ service_tier: 'flex' }, { serviceTier: 'flex' }],
    [{ service_tier: 'fast' }, { serviceTier: 'priority' }],
    [{ prompt_cache_key: 'k' }, { promptCacheKey: 'k' }],
    [{ stream: true, stream_options: { include_obfuscation: false } }, { stream: true }],
  ])('%j', (body, expected) => {
    const decoded = decodeRequest({ input: 'x', ...body })
    expect(decoded).toMatchObject(expected)
    expect(decoded.native).toEqual([])
  })

  test('what is null, or the default, says nothing', () => {
    const nothing = decodeRequest({ input: 'x' })
    const body = {
      store: false,
      background: false,
      truncation: 'disabled',
      context_management: [],
      previous_response_id: null,
      include: ['reasoning.encrypted_content'],
      tools: [],
      reasoning: { effort: null, summary: null, context: 'auto' },
      text: { format: { type: 'text' } },
      metadata: {},
      top_logprobs: 0,
      conversation: null,
      max_tool_calls: null,
    }
    expect(bare(decodeRequest({ input: 'x', ...body }))).toEqual(bare(nothing))
    expect(uses(body)).toEqual([])
  })

  test.each<[JsonObject, string]>([
    [{ store: true }, 'store store'],
    [{ previous_response_id: 'resp_1' }, 'stored_state previous_response_id'],
    [{ conversation: { id: 'conv_1' } }, 'stored_state conversation'],
    [{ background: true }, 'stored_state background'],
    [{ prompt: { id: 'p' } }, 'stored_prompt prompt'],
    [{ truncation: 'auto' }, 'context_management truncation'],
    [{ context_management: [{ type: 'compaction' }] }, 'context_management context_management'],
    [{ moderation: { model: 'm' } }, 'safety_settings moderation'],
    [{ include: ['web_search_call.results'] }, 'include include[0]'],
    [{ max_tool_calls: 3 }, 'unknown_field max_tool_calls'],
    [{ client_metadata: {} }, 'unknown_field client_metadata'],
    [{ reasoning: { context: 'all_turns' } }, 'unknown_field reasoning.context'],
    [{ service_tier: 'ultrafast' }, 'unknown_field service_tier'],
  ])('%j is named: %s', (body, use) => {
    expect(uses(body)).toEqual([use])
  })

  test('all that Codex sends is read, and what is dropped is harmless', () => {
    const { native, ...decoded } = decodeRequest({
      instructions: 'You are Codex.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'U' }] },
        { type: 'reasoning', summary: [], encrypted_content: 'E' },
        { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' },
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
      ],
      tools: [
        { type: 'function', name: 'shell', strict: false, parameters: { type: 'object' } },
        { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn' }] },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'medium', summary: 'auto' },
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'session',
      text: { verbosity: 'low' },
      client_metadata: { 'x-codex-installation-id': 'i' },
    })
    expect(decoded.turns.map(({ role }) => role)).toEqual([
      'system',
      'developer',
      'user',
      'assistant',
      'user',
    ])
    expect(decoded).toMatchObject({
      promptCacheKey: 'session',
      verbosity: 'low',
      reasoning: { amount: { effort: 'medium' }, show: 'auto' },
    })
    expect(native).toEqual([{ feature: 'unknown_field', at: 'client_metadata' }])
  })
})

describe('what the vendor would refuse is refused by its path', () => {
  test.each<[JsonObject, string]>([
    [{ input: [{ type: 'message', content: 'x' }] }, 'input[0].role'],
    [{ input: [{ role: 'tool', content: 'x' }] }, 'input[0].role'],
    [{ input: [user({ type: 'input_text' })] }, 'input[0].content[0].text'],
    [{ input: [user({ type: 'input_image' })] }, 'input[0].content[0].image_url'],
    [
      { input: [user({ type: 'input_image', image_url: 'data:,x' })] },
      'input[0].content[0].image_url',
    ],
    [{ input: [user({ type: 'input_file' })] }, 'input[0].content[0].file_data'],
    [{ input: [user({ type: 'input_audio' })] }, 'input[0].content[0].input_audio.data'],
    [{ input: [{ type: 'function_call', call_id: 'c' }] }, 'input[0].name'],
    [{ input: [{ type: 'function_call', name: 'f' }] }, 'input[0].call_id'],
    [
      { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: 5 }] },
      'input[0].arguments',
    ],
    [{ input: [{ type: 'function_call_output', call_id: 'c' }] }, 'input[0].output'],
    [{ input: [{ type: 'function_call_output', output: 'x' }] }, 'input[0].call_id'],
    [{ tools: ['x'] }, 'tools[0]'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
    [{ tools: [{ type: 'function', name: 'f', parameters: 'x' }] }, 'tools[0].parameters'],
    [
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }] }] },
      'tools[0].tools[0].name',
    ],
    [{ tool_choice: 'maybe' }, 'tool_choice'],
    [{ tool_choice: { type: 'function' } }, 'tool_choice.name'],
    [{ reasoning: { effort: 'huge' } }, 'reasoning.effort'],
    [{ text: { verbosity: 'none' } }, 'text.verbosity'],
    [{ text: { format: { type: 'xml' } } }, 'text.format.type'],
    [{ text: { format: { type: 'json_schema', name: 'x' } } }, 'text.format.schema'],
    [{ top_p: 'x' }, 'top_p'],
    [{ parallel_tool_calls: 'x' }, 'parallel_tool_calls'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
  ])('%j: %s', (body, param) => {
    const decode = () => decodeRequest({ input: 'x', ...body })
    expect(decode).toThrow(TranslationError)
    expect(decode).toThrow(expect.objectContaining({ fault: expect.objectContaining({ param }) }))
  })
})
