import type { JsonObject, ProtocolName } from '../../src/protocols/protocol.ts'

// Small whole answers that hold a little of everything, and what streams are made of, too.

/** The same usage, as each protocol reports it. */
export const chatUsage = {
  prompt_tokens: 9,
  completion_tokens: 5,
  total_tokens: 14,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
}
/** 9 of input, 3 of them from a cache; 5 of output, 2 of them reasoning. */
export const responsesUsage = {
  input_tokens: 9,
  output_tokens: 5,
  total_tokens: 14,
  input_tokens_details: { cached_tokens: 3 },
  output_tokens_details: { reasoning_tokens: 2 },
}
/** As `chatUsage`. */
export const messagesUsage = { input_tokens: 6, cache_read_input_tokens: 3, output_tokens: 5 }
/** As `chatUsage`. */
export const geminiUsage = {
  promptTokenCount: 9,
  cachedContentTokenCount: 3,
  candidatesTokenCount: 3,
  thoughtsTokenCount: 2,
  totalTokenCount: 14,
}
/** In the form of OpenAI’s protocols. */
export const logprobs = [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }]
/** Sources, as gemini names them. */
export const grounding = {
  groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
  groundingSupports: [{ groundingChunkIndices: [0], segment: { startIndex: 0, endIndex: 3 } }],
}

/** The output of a response. */
export const outputItems = [
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

/** The parts of a candidate. */
export const geminiParts: readonly JsonObject[] = [
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

/** Whole answers of each protocol. */
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
