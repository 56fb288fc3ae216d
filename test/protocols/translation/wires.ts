import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'

/*
 * One answer in the words of each vendor, written by hand after their references: reasoning, text,
 * and two calls at once.
 */

export const said = {
  reasoning: 'Let me see.',
  signature: 'c2lnbmVk+/==',
  text: 'I look: 你好',
  calls: [
    { id: 'call_a', name: 'look', input: '{"at":"home","deep":{"n":1}}' },
    { id: 'call_b', name: 'look', input: '{"at":"work"}' },
  ],
} as const
const [callA, callB] = said.calls

/** Events of a stream with their names, where the protocol has such. */
type Events = readonly (readonly [event: string | undefined, data: unknown])[]

const chunk = (delta: unknown, finish: string | null = null) =>
  [
    undefined,
    {
      id: 'chatcmpl-7',
      object: 'chat.completion.chunk',
      created: 5,
      model: 'up',
      choices: [{ index: 0, delta, finish_reason: finish }],
    },
  ] as const
const call = (index: number, { id, name, input }: (typeof said.calls)[number]): Events => [
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
  chunk({ tool_calls: [{ index, function: { arguments: input.slice(0, 5) } }] }),
  chunk({ tool_calls: [{ index, function: { arguments: input.slice(5) } }] }),
]

const chatEvents: Events = [
  // The first chunk is reasoning already.
  chunk({ role: 'assistant', reasoning_content: 'Let me ' }),
  chunk({ reasoning_content: 'see.' }),
  chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: said.signature, index: 0 }] }),
  chunk({ content: 'I look: ' }),
  chunk({ content: '你好' }),
  ...call(0, callA),
  ...call(1, callB),
  chunk({}, 'tool_calls'),
  [
    undefined,
    {
      id: 'chatcmpl-7',
      created: 5,
      model: 'up',
      choices: [],
      usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 },
    },
  ],
]

const named = (type: string, fields: JsonObject): Events[number] => [type, { type, ...fields }]
const block = (
  index: number,
  content_block: JsonObject,
  ...deltas: readonly JsonObject[]
): Events => [
  named('content_block_start', { index, content_block }),
  ...deltas.map((delta) => named('content_block_delta', { index, delta })),
  named('content_block_stop', { index }),
]
const toolUse = (index: number, { id, name, input }: (typeof said.calls)[number]): Events =>
  block(
    index,
    { type: 'tool_use', id, name, input: {} },
    { type: 'input_json_delta', partial_json: input.slice(0, 7) },
    { type: 'input_json_delta', partial_json: input.slice(7) },
  )

const messagesEvents: Events = [
  named('message_start', {
    message: {
      ...{ id: 'msg_7', type: 'message', role: 'assistant', model: 'up', content: [] },
      ...{ stop_reason: null, stop_sequence: null },
      usage: { input_tokens: 20, output_tokens: 1 },
    },
  }),
  ...block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: said.reasoning },
    { type: 'signature_delta', signature: said.signature },
  ),
  ...block(
    1,
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'I look: ' },
    { type: 'text_delta', text: '你好' },
  ),
  ...toolUse(2, callA),
  ...toolUse(3, callB),
  named('message_delta', {
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 9 },
  }),
  named('message_stop', {}),
]

const reasoningItem = {
  type: 'reasoning',
  id: 'rs_7',
  summary: [{ type: 'summary_text', text: said.reasoning }],
  encrypted_content: said.signature,
}
const messageItem = {
  type: 'message',
  id: 'msg_7',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: said.text, annotations: [] }],
}
const callItem = ({ id, name, input }: (typeof said.calls)[number]) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: input,
  status: 'completed',
})
const response = {
  ...{ id: 'resp_7', object: 'response', created_at: 5, model: 'up', status: 'completed' },
  output: [reasoningItem, messageItem, ...said.calls.map(callItem)],
  usage: { input_tokens: 20, output_tokens: 9, total_tokens: 29 },
}
/** T4: the arguments are told as a whole only. */
const callEvents = (output_index: number, one: (typeof said.calls)[number]): Events => {
  const item = callItem(one)
  return [
    named('response.output_item.added', { output_index, item: { ...item, arguments: '' } }),
    named('response.function_call_arguments.done', {
      ...{ output_index, item_id: item.id, arguments: one.input },
    }),
    named('response.output_item.done', { output_index, item }),
  ]
}
const at = { item_id: 'msg_7', output_index: 1, content_index: 0 }
const summaryAt = { item_id: 'rs_7', output_index: 0, summary_index: 0 }

const responsesEvents: Events = [
  named('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
  named('response.output_item.added', {
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_7', summary: [] },
  }),
  named('response.reasoning_summary_text.delta', { ...summaryAt, delta: said.reasoning }),
  named('response.reasoning_summary_text.done', { ...summaryAt, text: said.reasoning }),
  named('response.output_item.done', { output_index: 0, item: reasoningItem }),
  named('response.output_item.added', { output_index: 1, item: { ...messageItem, content: [] } }),
  named('response.output_text.delta', { ...at, delta: 'I look: ' }),
  named('response.output_text.delta', { ...at, delta: '你好' }),
  named('response.output_text.done', { ...at, text: said.text }),
  named('response.output_item.done', { output_index: 1, item: messageItem }),
  ...callEvents(2, callA),
  ...callEvents(3, callB),
  named('response.completed', { response }),
]

const candidate = (parts: readonly JsonObject[], more: JsonObject = {}): Events[number] => [
  undefined,
  {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    modelVersion: 'up',
    responseId: 'g7',
  },
]
const functionCall = ({ id, name, input }: (typeof said.calls)[number]) => {
  return { id, name, args: JSON.parse(input) }
}
const geminiUsage = { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 }

const geminiEvents: Events = [
  candidate([{ text: said.reasoning, thought: true }]),
  candidate([{ text: 'I look: ' }]),
  candidate([{ text: '你好' }]),
  candidate([
    { functionCall: functionCall(callA), thoughtSignature: said.signature },
    { functionCall: functionCall(callB) },
  ]),
  [
    undefined,
    {
      candidates: [
        { content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 },
      ],
      ...{ usageMetadata: geminiUsage, modelVersion: 'up', responseId: 'g7' },
    },
  ],
]

/** The answer as each vendor streams it. */
export const wireEvents: { readonly [protocol in ProtocolName]: Events } = {
  chat: chatEvents,
  responses: responsesEvents,
  messages: messagesEvents,
  gemini: geminiEvents,
}

/** Events as the text of a stream, with these line ends; chat's is told to be done. */
export function streamText(protocol: ProtocolName, events: Events, newline = '\n'): string {
  const frames = events.map(([event, data]) => {
    const name = event === undefined ? '' : `event: ${event}${newline}`
    return `${name}data: ${JSON.stringify(data)}${newline}${newline}`
  })
  return frames.join('') + (protocol === 'chat' ? `data: [DONE]${newline}${newline}` : '')
}

/** What each vendor sends when it fails in the middle of a stream. */
export const wireErrors: { readonly [protocol in ProtocolName]: Events } = {
  chat: [[undefined, { error: { message: 'Overloaded', code: 503 } }]],
  responses: [
    named('response.failed', {
      response: {
        ...response,
        status: 'failed',
        error: { code: 'server_error', message: 'Overloaded' },
      },
    }),
  ],
  messages: [named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })],
  gemini: [[undefined, { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }]],
}
