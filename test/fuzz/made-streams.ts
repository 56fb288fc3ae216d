import type { JsonObject, ProtocolName } from '../../src/protocols/protocol.ts'
import {
  chatUsage,
  geminiParts,
  geminiUsage,
  grounding,
  logprobs,
  messagesUsage,
  outputItems,
  responsesUsage,
} from './made-answers.ts'

// Small streams that hold a little of everything.

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
