/** What a scripted answer says it used. */
export interface Tokens {
  readonly input: number
  readonly output: number
}

/** One protocol as a client asks it and as an upstream answers it, written out by hand. */
export interface Dialect {
  readonly name: 'chat' | 'responses' | 'messages' | 'gemini'
  path(stream: boolean): string
  request(stream: boolean, question?: string): object
  /** How a stream begins. */
  first(tokens: Tokens): string
  /** One event that carries text. */
  piece(text: string): string
  /** How a stream ends: with the usage, then with the protocol's own last words. */
  last(tokens: Tokens): string
  /** A whole answer that is not streamed. */
  body(tokens: Tokens): object
  /** Whether a client has got all of a stream, by this protocol's own rule. */
  isWhole(text: string): boolean
  /** Whether a client was told of an error inside the stream. */
  isError(text: string): boolean
  /** What a client hears in a silence that says nothing of its library. */
  readonly beat: string
}

const model = 'test-model'
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const event = (value: { readonly type: string }) => `event: ${value.type}\n${data(value)}`

const comment = ': keep-alive\n\n'

const chatUsage = ({ input, output }: Tokens) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
})
const plainUsage = ({ input, output }: Tokens) => ({ input_tokens: input, output_tokens: output })
const geminiUsage = ({ input, output }: Tokens) => ({
  promptTokenCount: input,
  candidatesTokenCount: output,
  totalTokenCount: input + output,
})

const chatChunk = (delta: object, rest: object = {}, reason: string | null = null) =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...rest,
  })

const chat: Dialect = {
  name: 'chat',
  path: () => '/v1/chat/completions',
  request: (stream, question = 'hello') => ({
    model,
    messages: [{ role: 'user', content: question }],
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  }),
  first: () => chatChunk({ role: 'assistant', content: '' }),
  piece: (content) => chatChunk({ content }),
  last: (tokens) =>
    chatChunk({}, {}, 'stop') +
    data({ id: 'chatcmpl-1', choices: [], usage: chatUsage(tokens) }) +
    'data: [DONE]\n\n',
  body: (tokens) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' },
    ],
    usage: chatUsage(tokens),
  }),
  isWhole: (text) => text.endsWith('data: [DONE]\n\n'),
  isError: (text) => /data: \{"error":\{/.test(text),
  beat: comment,
}

const responseHead = { id: 'resp_1', object: 'response', model }

const responses: Dialect = {
  name: 'responses',
  path: () => '/v1/responses',
  request: (stream, question = 'hello') => ({ model, input: question, stream }),
  first: () =>
    event({
      type: 'response.created',
      ...{ sequence_number: 0, response: { ...responseHead, status: 'in_progress' } },
    }),
  piece: (delta) => event({ type: 'response.output_text.delta', ...{ sequence_number: 1, delta } }),
  last: (tokens) =>
    event({
      type: 'response.completed',
      ...{
        sequence_number: 2,
        response: { ...responseHead, status: 'completed', usage: plainUsage(tokens) },
      },
    }),
  body: (tokens) => ({
    ...responseHead,
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'hello' }] }],
    usage: plainUsage(tokens),
  }),
  isWhole: (text) => /event: response\.completed\ndata: .*\n\n$/.test(text),
  isError: (text) => text.includes('event: response.failed\n'),
  beat: comment,
}

const messageHead = { id: 'msg_1', type: 'message', role: 'assistant', model }

const messages: Dialect = {
  name: 'messages',
  path: () => '/v1/messages',
  request: (stream, question = 'hello') => ({
    model,
    max_tokens: 100,
    messages: [{ role: 'user', content: question }],
    stream,
  }),
  first: ({ input }) =>
    event({
      type: 'message_start',
      ...{ message: { ...messageHead, content: [], usage: plainUsage({ input, output: 1 }) } },
    }) +
    event({
      type: 'content_block_start',
      ...{ index: 0, content_block: { type: 'text', text: '' } },
    }),
  piece: (text) =>
    event({ type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text } } }),
  last: ({ output }) =>
    event({ type: 'content_block_stop', ...{ index: 0 } }) +
    event({
      type: 'message_delta',
      ...{ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: output } },
    }) +
    event({ type: 'message_stop' }),
  body: (tokens) => ({
    ...messageHead,
    content: [{ type: 'text', text: 'hello' }],
    stop_reason: 'end_turn',
    usage: plainUsage(tokens),
  }),
  isWhole: (text) => /event: message_stop\ndata: .*\n\n$/.test(text),
  isError: (text) => text.includes('event: error\n'),
  beat: 'event: ping\ndata: {"type": "ping"}\n\n',
}

const geminiChunk = (text: string, rest: object = {}, reason?: string) => ({
  candidates: [
    { content: { role: 'model', parts: [{ text }] }, ...(reason && { finishReason: reason }) },
  ],
  modelVersion: model,
  ...rest,
})
const crlf = (value: unknown) => `data: ${JSON.stringify(value)}\r\n\r\n`

const gemini: Dialect = {
  name: 'gemini',
  path: (stream) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  request: (_stream, question = 'hello') => ({
    contents: [{ role: 'user', parts: [{ text: question }] }],
  }),
  first: () => crlf(geminiChunk('')),
  piece: (text) => crlf(geminiChunk(text)),
  last: (tokens) => crlf(geminiChunk('', { usageMetadata: geminiUsage(tokens) }, 'STOP')),
  body: (tokens) => geminiChunk('hello', { usageMetadata: geminiUsage(tokens) }, 'STOP'),
  isWhole: (text) => /"finishReason":"STOP".*\r\n\r\n$/.test(text),
  isError: (text) => text.includes('data: {"error":{'),
  beat: 'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\r\n\r\n',
}

/** The four protocols. */
export const dialects = { chat, responses, messages, gemini } as const
export const allDialects: readonly Dialect[] = Object.values(dialects)

const beats = new RegExp(
  [...new Set(allDialects.map(({ beat }) => RegExp.escape(beat)))].join('|'),
  'g',
)
/** What a client has heard, but for heartbeats. */
export const withoutBeats = (text: string) => text.replaceAll(beats, '')
/** How many heartbeats are in it. */
export const countBeats = (text: string) => text.match(beats)?.length ?? 0

/** A whole stream of some text. */
export function wholeStream(dialect: Dialect, tokens: Tokens, texts: readonly string[]): string {
  return dialect.first(tokens) + texts.map(dialect.piece).join('') + dialect.last(tokens)
}

/** What the default prices of a test configuration (1 in, 2 out) make of it, in nano-USD. */
export const costNano = ({ input, output }: Tokens) => input * 1000 + output * 2000
