import { jsonAnswer, type SeenRequest, sseAnswer } from '../support/fake-upstream.ts'

const json = (value: unknown) => JSON.stringify(value)

const chatChunk = (choice: object, more: object = {}) =>
  `data: ${json({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], ...more })}\n\n`

const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${json({ type, ...fields })}\n\n`

const geminiChunk = (text: string, more: object = {}, finishReason?: string) =>
  json({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason, index: 0 }],
    ...more,
  })

const geminiUsage = { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2 } }

const response = (fields: object) => ({ id: 'resp_1', object: 'response', output: [], ...fields })

const message = (fields: object) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'test-model',
  stop_sequence: null,
  ...fields,
})

/** What each protocol's upstream says to "hello", in the pieces that a stream sends it in. */
export const streams = {
  chat: [
    chatChunk({ delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }),
    chatChunk({ delta: { content: ' there' }, finish_reason: null }),
    chatChunk({ delta: {}, finish_reason: 'stop' }),
    `data: ${json({ id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } })}\n\n`,
    'data: [DONE]\n\n',
  ],
  responses: [
    event('response.created', {
      sequence_number: 0,
      response: response({ status: 'in_progress' }),
    }),
    event('response.output_text.delta', { sequence_number: 1, item_id: 'm', delta: 'Hello' }),
    event('response.output_text.delta', { sequence_number: 2, item_id: 'm', delta: ' there' }),
    event('response.completed', {
      sequence_number: 3,
      response: response({ status: 'completed', usage: { input_tokens: 7, output_tokens: 2 } }),
    }),
  ],
  messages: [
    event('message_start', {
      message: message({ content: [], usage: { input_tokens: 7, output_tokens: 1 } }),
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' there' } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
    event('message_stop', {}),
  ],
  gemini: [
    `data: ${geminiChunk('Hello')}\r\n\r\n`,
    `data: ${geminiChunk(' there')}\r\n\r\n`,
    `data: ${geminiChunk('', geminiUsage, 'STOP')}\r\n\r\n`,
  ],
  'gemini-array': [
    `[${geminiChunk('Hello')}`,
    `,\r\n${geminiChunk(' there')}`,
    `,\r\n${geminiChunk('', geminiUsage, 'STOP')}\r\n]`,
  ],
} as const

/** The same answers unstreamed, and those of the other endpoints. */
export const bodies = {
  chat: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
  },
  responses: response({ status: 'completed', usage: { input_tokens: 7, output_tokens: 2 } }),
  messages: message({
    content: [{ type: 'text', text: 'Hello there' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 7, output_tokens: 2 },
  }),
  gemini: JSON.parse(geminiChunk('Hello there', geminiUsage, 'STOP')) as object,
  completion: {
    id: 'cmpl-1',
    object: 'text_completion',
    choices: [{ text: 'Hello there', index: 0, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
  },
  embeddings: {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
    usage: { prompt_tokens: 7, total_tokens: 7 },
  },
  images: { created: 1, data: [{ b64_json: 'AA==' }] },
  count: { input_tokens: 7 },
  geminiCount: { totalTokens: 7 },
  geminiEmbedding: { embedding: { values: [0.5] } },
} as const

const bodyOf = new Map<string, object>([
  ['/chat/completions', bodies.chat],
  ['/completions', bodies.completion],
  ['/embeddings', bodies.embeddings],
  ['/images/generations', bodies.images],
  ['/images/edits', bodies.images],
  ['/responses', bodies.responses],
  ['/responses/compact', bodies.responses],
  ['/responses/input_tokens', bodies.count],
  ['/messages', bodies.messages],
  ['/messages/count_tokens', bodies.count],
])

const geminiBodies = new Map<string, object>([
  ['generateContent', bodies.gemini],
  ['countTokens', bodies.geminiCount],
  ['embedContent', bodies.geminiEmbedding],
  ['batchEmbedContents', { embeddings: [bodies.geminiEmbedding.embedding] }],
])

/** Headers of a vendor that are nobody else's business. */
export const vendorHeaders = {
  server: 'vendor-edge',
  'set-cookie': 'vendor-session=1',
  'openai-organization': 'vendor-account',
  'x-request-id': 'vendor-request-1',
  'x-ratelimit-remaining-requests': '12',
  'access-control-allow-origin': '*',
} as const

/** Answers as the vendor of the request's path would, with the vendor's own headers. */
export function vendorAnswer(request: SeenRequest): Response {
  const { pathname, search } = new URL(request.path, 'http://vendor')
  const action = pathname.slice(pathname.lastIndexOf(':') + 1)
  const path = pathname.replace(/^\/v1(?=\/)/, '')
  if (action === 'streamGenerateContent') {
    if (search.includes('alt=sse')) return stream('gemini')
    return stream('gemini-array', 'application/json')
  }
  const body = geminiBodies.get(action) ?? bodyOf.get(path)
  if (body === undefined) return jsonAnswer({ error: { message: 'no such path' } }, 404)
  if (/"stream":\s*true/.test(request.text())) {
    if (path === '/chat/completions') return stream('chat')
    if (path === '/responses') return stream('responses')
    if (path === '/messages') return stream('messages')
  }
  return jsonAnswer(body, 200, vendorHeaders)
}

function stream(name: keyof typeof streams, type = 'text/event-stream'): Response {
  return sseAnswer(streams[name].join(''), { headers: { ...vendorHeaders, 'content-type': type } })
}
