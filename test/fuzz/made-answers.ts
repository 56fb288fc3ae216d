import type { JsonObject, ProtocolName } from '../../src/protocols/protocol.ts'

// Small answers that hold a little of everything, whole and as the events of a stream.

const chatUsage = {
  prompt_tokens: 9,
  completion_tokens: 5,
  total_tokens: 14,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
}
const responsesUsage = {
  input_tokens: 9,
  output_tokens: 5,
  total_tokens: 14,
  input_tokens_details: { cached_tokens: 3 },
  output_tokens_details: { reasoning_tokens: 2 },
}
const messagesUsage = { input_tokens: 6, cache_read_input_tokens: 3, output_tokens: 5 }
const geminiUsage = {
  promptTokenCount: 9,
  cachedContentTokenCount: 3,
  candidatesTokenCount: 3,
  thoughtsTokenCount: 2,
  totalTokenCount: 14,
}
const logprobs = [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }]
const grounding = {
  groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
  groundingSupports: [{ groundingChunkIndices: [0], segment: { startIndex: 0, endIndex: 3 } }],
}

const outputItems = [
  {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'hm' }],
    encrypted_content: 'ciphertext',
  },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [
      {
        type: 'output_text',
        text: 'né',
        logprobs,
        annotations: [
          { type: 'url_citation', url: 'https://a.test', title: 'A', start_index: 0, end_index: 2 },
        ],
      },
      { type: 'refusal', refusal: 'No.' },
    ],
  },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'a',
    name: 'f',
    arguments: '{"x":1}',
    status: 'completed',
  },
  { type: 'custom_tool_call', id: 'ctc_1', call_id: 'b', name: 'p', input: 'text' },
]

const geminiParts: readonly JsonObject[] = [
  { text: 'hm', thought: true },
  { text: 'né', thoughtSignature: 'YQ==' },
  { functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 'Yg==' },
  {
    functionCall: {
      name: 'g',
      willContinue: true,
      partialArgs: [{ jsonPath: '$.a[0]', numberValue: 1 }],
    },
  },
  { functionCall: { name: 'g' } },
  { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
]

export const smallAnswers: { readonly [name in ProtocolName]: readonly JsonObject[] } = {
  chat: [
    {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'v',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          logprobs: { content: logprobs },
          message: {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
              { type: 'text', text: 'né' },
            ],
            reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 's', index: 0 }],
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
              { id: 'b', type: 'custom', custom: { name: 'p', input: 'text' } },
            ],
            annotations: [
              { type: 'url_citation', url_citation: { url: 'u', start_index: 0, end_index: 1 } },
            ],
          },
        },
        { index: 1, finish_reason: 'stop', message: { content: 'b', refusal: 'No.' } },
      ],
      usage: chatUsage,
    },
    { error: { message: 'No.', type: 'x', code: 'rate_limit_exceeded' } },
  ],
  responses: [
    {
      id: 'resp_1',
      object: 'response',
      created_at: 1_700_000_000,
      status: 'completed',
      model: 'v',
      output: outputItems,
      usage: responsesUsage,
      service_tier: 'default',
    },
    {
      id: 'resp_2',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [],
    },
  ],
  messages: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'v',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'd' },
        {
          type: 'text',
          text: 'né',
          citations: [{ type: 'char_location', cited_text: 'c', document_index: 0 }],
        },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } },
        { type: 'tool_use', id: 'toolu_2', name: 'p', input: { input: 'text' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: messagesUsage,
    },
    { type: 'error', error: { type: 'overloaded_error', message: 'No.' } },
  ],
  gemini: [
    {
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: geminiParts },
          finishReason: 'STOP',
          groundingMetadata: grounding,
          logprobsResult: {
            chosenCandidates: [{ token: 'a', logProbability: -1 }],
            topCandidates: [{ candidates: [{ token: 'b', logProbability: -2 }] }],
          },
        },
        { index: 1, content: { parts: [{ text: 'b' }] }, finishReason: 'MAX_TOKENS' },
      ],
      usageMetadata: geminiUsage,
      modelVersion: 'v',
      responseId: 'r1',
      createTime: '2026-01-01T00:00:00Z',
    },
    { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9 } },
  ],
}

const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'v',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})

const piece = (index: number, more: JsonObject) => chunk({ tool_calls: [{ index, ...more }] })

const chatStream = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning: 'h', reasoning_details: [{ type: 'reasoning.text', text: 'h', index: 0 }] }),
  chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 's', index: 0 }] }),
  chunk({ content: 'né' }, { logprobs: { content: logprobs } }),
  chunk({ refusal: 'No.' }),
  chunk({ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }),
  chunk({ annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.test' } }] }),
  piece(0, { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x"' } }),
  piece(1, { id: 'b', type: 'custom', custom: { name: 'p', input: 't' } }),
  piece(0, { function: { arguments: ':1}' } }),
  chunk({}, { finish_reason: 'tool_calls' }),
  { id: 'chatcmpl-1', choices: [], usage: chatUsage },
  '[DONE]',
]

const head = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'v' }

const responsesStream = [
  { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
  ...outputItems.flatMap((item, output_index) => {
    const at = { output_index, item_id: item.id }
    const text = { ...at, content_index: 0, logprobs: [] }
    const pieces = [
      { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: 'hm' },
      { type: 'response.content_part.added', ...text, part: { type: 'output_text', text: '' } },
      { type: 'response.output_text.delta', ...text, delta: 'né' },
      { type: 'response.output_text.done', ...text, text: 'né' },
      { type: 'response.refusal.delta', ...at, content_index: 1, delta: 'No.' },
      { type: 'response.function_call_arguments.delta', ...at, delta: '{"x":1}' },
      { type: 'response.custom_tool_call_input.delta', ...at, delta: 'text' },
    ]
    const [from, to] = [
      [0, 2],
      [2, 6],
      [6, 7],
      [7, 8],
    ][output_index] ?? [0, 0]
    return [
      { type: 'response.output_item.added', output_index, item },
      ...pieces.slice(from, to),
      { type: 'response.output_item.done', output_index, item },
    ]
  }),
  {
    type: 'response.completed',
    response: { ...head, status: 'completed', output: outputItems, usage: responsesUsage },
  },
]

const block = (index: number, start: JsonObject, ...deltas: readonly JsonObject[]) => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]

const messagesStream = [
  {
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', model: 'v', content: [], usage: messagesUsage },
  },
  ...block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'hm' },
    { type: 'signature_delta', signature: 's' },
  ),
  { type: 'ping' },
  ...block(
    1,
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'né' },
    { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'c' } },
  ),
  ...block(
    2,
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    { type: 'input_json_delta', partial_json: '{"x"' },
    { type: 'input_json_delta', partial_json: ':1}' },
  ),
  ...block(3, { type: 'redacted_thinking', data: 'd' }),
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
]

const geminiStream = [
  ...geminiParts.map((part) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [part] } }],
    responseId: 'r1',
    modelVersion: 'v',
  })),
  {
    candidates: [
      {
        index: 0,
        content: { parts: [{ text: '' }] },
        finishReason: 'STOP',
        groundingMetadata: grounding,
      },
    ],
    usageMetadata: geminiUsage,
  },
]

/** Events of each protocol's streams. */
export const smallStreams: { readonly [name in ProtocolName]: readonly (readonly unknown[])[] } = {
  chat: [chatStream, [chunk({ content: 'x' }), { error: { message: 'No.', code: 429 } }]],
  responses: [
    responsesStream,
    [
      { type: 'response.created', response: head },
      { type: 'response.failed', response: { ...head, status: 'failed', error: { code: 'x' } } },
    ],
  ],
  messages: [messagesStream, [{ type: 'error', error: { type: 'overloaded_error' } }]],
  gemini: [geminiStream, [{ error: { code: 503, message: 'No.', status: 'UNAVAILABLE' } }]],
}
