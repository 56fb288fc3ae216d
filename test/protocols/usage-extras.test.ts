import { describe, expect, test } from 'bun:test'
import type { UsageExtras } from '../../src/protocols/canonical/usage.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { decodeStoredUsage } from '../../src/protocols/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { Operation } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'

// What a vendor bills beside text: read from whole answers and from streams, once each.

const { completions, imageGenerations } = chat.operations
const { generation: response } = responses
const { generation: message } = messages
const { generation: content } = gemini

type Case = readonly [name: string, body: object, events: readonly object[], extras: UsageExtras]

const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const cited = { annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.b' } }] }
const completion = (usage: object, message: object = {}, more: object = {}) => ({
  choices: [{ index: 0, message: { content: 'Yes.', ...message }, finish_reason: 'stop' }],
  usage: { ...chatUsage, ...usage },
  ...more,
})
const chunks = (usage: object, delta: object = {}, more: object = {}) => [
  { choices: [{ index: 0, delta: { content: 'Yes.', ...delta } }], ...more },
  { choices: [{ index: 0, delta: { ...delta }, finish_reason: 'stop' }], ...more },
  { choices: [], usage: { ...chatUsage, ...usage }, ...more },
]
const both = (name: string, usage: object, extras: UsageExtras, delta = {}, more = {}): Case => [
  name,
  completion(usage, delta, more),
  chunks(usage, delta, more),
  extras,
]

const executed = (...types: string[]) => ({
  executed_tools: types.map((type, index) => ({ type, index })),
})

const chatCases: readonly Case[] = [
  both(
    'sound and images among the tokens',
    {
      prompt_tokens_details: { audio_tokens: 4, image_tokens: 3, cached_tokens: 0 },
      completion_tokens_details: { audio_tokens: 5 },
    },
    { modalities: { inputAudio: 4, inputImage: 3, outputAudio: 5 } },
  ),
  both(
    'sound that must have been read from the cache',
    { prompt_tokens_details: { audio_tokens: 9, cached_tokens: 4 } },
    { modalities: { inputAudio: 6, cacheReadAudio: 3 } },
  ),
  both('the tier that the answer names', {}, { tier: 'flex' }, {}, { service_tier: 'flex' }),
  both('fast, which is priority', {}, { tier: 'priority' }, {}, { service_tier: 'fast' }),
  both('a search that only its citations show', {}, { tools: { web_search: 1 } }, cited),
  both('citations beside the answer', {}, { tools: { web_search: 1 } }, {}, { citations: ['u'] }),
  both(
    'searches that are counted, not cited',
    { server_tool_use_details: { web_search_requests: 3 } },
    { tools: { web_search: 3 } },
    cited,
  ),
  both(
    'sources, which xAI bills one by one',
    { num_sources_used: 7 },
    { tools: { web_search: 7 } },
  ),
  both('searches of Perplexity', { num_search_queries: 2 }, { tools: { web_search: 2 } }, cited),
  both(
    'what Groq’s systems ran',
    {},
    { tools: { web_search: 2, code_execution: 1 } },
    executed('search', 'python', 'search'),
  ),
]

const item = (id: string, type: string, more: object = {}) => ({ id, type, ...more })
const search = (id: string, type = 'search') =>
  item(id, 'web_search_call', { status: 'completed', action: { type } })
const responsesUsage = { input_tokens: 10, output_tokens: 5 }

/** The same response whole, and as a stream that tells of each item several times. */
function responseCase(
  name: string,
  output: readonly object[],
  extras: UsageExtras,
  more = {},
): Case {
  const begun = { id: 'resp_1', status: 'in_progress', output: [], ...more, service_tier: 'auto' }
  const done = { id: 'resp_1', status: 'completed', output, usage: responsesUsage, ...more }
  return [
    name,
    done,
    [
      { type: 'response.created', response: begun },
      ...output.flatMap((entry, index) => [
        {
          type: 'response.output_item.added',
          output_index: index,
          item: { ...entry, action: undefined, status: 'in_progress' },
        },
        { type: 'response.output_item.done', output_index: index, item: entry },
      ]),
      { type: 'response.completed', response: done },
    ],
    extras,
  ]
}

const responsesCases: readonly Case[] = [
  responseCase(
    'searches, but not the opening of pages',
    [search('ws_1'), search('ws_2'), search('ws_3', 'open_page'), search('ws_4', 'find_in_page')],
    { tools: { web_search: 2 } },
  ),
  responseCase(
    'searches of the preview',
    [search('ws_1')],
    { tools: { web_search_preview: 1 } },
    {
      tools: [{ type: 'web_search_preview_2025_03_11' }],
    },
  ),
  responseCase(
    'as many as the vendor itself counts',
    [search('ws_1')],
    { tools: { web_search: 4 } },
    {
      tool_usage: { web_search: { num_requests: 4 } },
    },
  ),
  responseCase(
    'a container once, whatever runs in it',
    [
      item('ci_1', 'code_interpreter_call', { container_id: 'c1' }),
      item('ci_2', 'code_interpreter_call', { container_id: 'c1' }),
      item('ci_3', 'code_interpreter_call', { container_id: 'c2' }),
      item('sh_1', 'shell_call', { environment: { type: 'local' } }),
    ],
    { tools: { code_execution: 2 } },
  ),
  responseCase(
    'a container by its memory',
    [item('ci_1', 'code_interpreter_call', { container_id: 'c1' })],
    { tools: { code_execution: 16 } },
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '16g' } }] },
  ),
  responseCase(
    'calls of the other tools one by one',
    [
      item('fs_1', 'file_search_call'),
      item('fs_2', 'file_search_call'),
      item('ig_1', 'image_generation_call'),
      item('m_1', 'mcp_call'),
      item('f_1', 'function_call'),
    ],
    { tools: { file_search: 2, image_generation: 1, mcp: 1 } },
  ),
  responseCase('the tier', [], { tier: 'priority' }, { service_tier: 'priority' }),
]

const messageUsage = { input_tokens: 10, output_tokens: 5 }
const block = (id: string, name: string, type = 'server_tool_use') => ({
  type,
  id,
  name,
  input: {},
})

function messageCase(
  name: string,
  blocks: readonly object[],
  extras: UsageExtras,
  start: object = {},
  end: object = {},
): Case {
  const usage = { ...messageUsage, ...start }
  return [
    name,
    {
      id: 'msg_1',
      type: 'message',
      content: blocks,
      stop_reason: 'end_turn',
      usage: { ...usage, ...end },
    },
    [
      { type: 'message_start', message: { id: 'msg_1', content: [], usage } },
      ...blocks.map((content_block, index) => ({
        type: 'content_block_start',
        index,
        content_block,
      })),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 5, ...end },
      },
      { type: 'message_stop' },
    ],
    extras,
  ]
}

const messagesCases: readonly Case[] = [
  messageCase(
    'searches and fetches as they are billed: one that failed is not',
    [block('a', 'web_search'), block('b', 'web_search'), block('c', 'web_fetch')],
    { tools: { web_search: 1, web_fetch: 1 } },
    { server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 } },
    { server_tool_use: { web_search_requests: 1, web_fetch_requests: 1 } },
  ),
  messageCase(
    'searches of an upstream that does not count them',
    [block('a', 'web_search'), block('b', 'web_search')],
    { tools: { web_search: 2 } },
  ),
  messageCase(
    'one container for all code, and calls of servers',
    [
      block('a', 'bash_code_execution'),
      block('b', 'text_editor_code_execution'),
      block('m', 'x', 'mcp_tool_use'),
    ],
    { tools: { code_execution: 1, mcp: 1 } },
  ),
  messageCase(
    'speed and region',
    [],
    { tier: 'fast+us' },
    {
      service_tier: 'standard',
      speed: 'fast',
      inference_geo: 'us',
    },
  ),
  messageCase('a committed tier', [], { tier: 'priority' }, { service_tier: 'priority' }),
]

const grounded = (queries: readonly string[], more: object = {}) => ({
  groundingMetadata: { webSearchQueries: queries, ...more },
})
const geminiUsage = { promptTokenCount: 10, candidatesTokenCount: 5 }

function geminiCase(
  name: string,
  candidate: object,
  extras: UsageExtras,
  usage: object = {},
  modelVersion = 'gemini-3-pro-preview',
): Case {
  const parts = { content: { parts: [{ text: 'Yes.' }] } }
  const body = {
    modelVersion,
    candidates: [{ ...parts, ...candidate, finishReason: 'STOP' }],
    usageMetadata: { ...geminiUsage, ...usage },
  }
  const first = { modelVersion, candidates: [parts], usageMetadata: { promptTokenCount: 10 } }
  return [name, body, [first, body, body], extras]
}

const detail = (modality: string, tokenCount: number) => ({ modality, tokenCount })

const geminiCases: readonly Case[] = [
  geminiCase('each query from Gemini 3 on', grounded(['a', 'b', 'a', '']), {
    tools: { web_search: 3 },
  }),
  geminiCase(
    'a prompt before',
    grounded(['a', 'b']),
    { tools: { web_search: 1 } },
    {},
    'gemini-2.5-pro',
  ),
  geminiCase('maps once', grounded([], { groundingChunks: [{ maps: {} }, { maps: {} }] }), {
    tools: { maps_grounding: 1 },
  }),
  geminiCase(
    'pages that were read',
    { urlContextMetadata: { urlMetadata: [{}, {}] } },
    {
      tools: { url_context: 2 },
    },
  ),
  geminiCase(
    'what is no text, in and out and cached',
    {},
    {
      modalities: { inputAudio: 4, inputImage: 1, cacheReadAudio: 2, outputImage: 5 },
    },
    {
      cachedContentTokenCount: 3,
      promptTokensDetails: [detail('TEXT', 3), detail('AUDIO', 6), detail('IMAGE', 1)],
      cacheTokensDetails: [detail('AUDIO', 2), detail('DOCUMENT', 1)],
      candidatesTokensDetails: [detail('IMAGE', 5)],
    },
  ),
  geminiCase('the tier', {}, { tier: 'flex' }, { serviceTier: 'flex' }),
  geminiCase('the tier of Vertex', {}, { tier: 'priority' }, { trafficType: 'ON_DEMAND_PRIORITY' }),
]

const suites: readonly (readonly [name: string, operation: Operation, cases: readonly Case[]])[] = [
  ['chat', completions, chatCases],
  ['responses', response, responsesCases],
  ['messages', message, messagesCases],
  ['gemini', content, geminiCases],
]

describe.each(suites)('an answer of %s tells', (_, operation, cases) => {
  test.each(cases)('%s', (_, body, events, extras) => {
    const whole = operation.createObserver()
    whole.pushBody(body)
    expect(whole.seen.usage?.extras).toEqual(extras)
    const streamed = operation.createObserver()
    for (const event of events) streamed.push(JSON.stringify(event), '')
    expect(streamed.seen.usage?.extras).toEqual(extras)
    // What is stored decodes to what is charged.
    for (const { seen } of [whole, streamed]) {
      expect(decodeStoredUsage(operation.protocol, seen.usageRaw)).toEqual(seen.usage)
    }
  })

  test('nothing of it where there is nothing', () => {
    const observer = operation.createObserver()
    const [, body] = plain[operation.protocol]
    observer.pushBody(body)
    expect(observer.seen.usage).toBeDefined()
    expect(observer.seen.usage).not.toHaveProperty('extras')
    expect(observer.seen.usageRaw).not.toHaveProperty('observed')
  })
})

const plain = {
  chat: both(
    '',
    { prompt_tokens_details: { audio_tokens: 0 }, num_sources_used: 0 },
    {},
    { annotations: [] },
    { service_tier: 'default' },
  ),
  responses: responseCase(
    '',
    [item('f', 'function_call')],
    {},
    {
      service_tier: 'default',
      tool_usage: { web_search: { num_requests: 0 } },
    },
  ),
  messages: messageCase(
    '',
    [],
    {},
    {
      service_tier: 'standard',
      speed: 'standard',
      inference_geo: 'global',
      server_tool_use: { web_search_requests: 0 },
    },
  ),
  gemini: geminiCase(
    '',
    {},
    {},
    { trafficType: 'ON_DEMAND', promptTokensDetails: [detail('TEXT', 10)] },
  ),
} as const

describe('made images', () => {
  test('are the output, where the report does not say what of it is text', () => {
    const observer = imageGenerations.createObserver()
    const usage = { input_tokens: 9, output_tokens: 272, input_tokens_details: { image_tokens: 4 } }
    observer.pushBody({ data: [{ b64_json: '' }], usage })
    expect(observer.seen.usage?.extras).toEqual({ modalities: { inputImage: 4, outputImage: 272 } })
  })
})
