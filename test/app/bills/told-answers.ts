import type { Dialect } from '../../e2e/dialects.ts'

/** What an upstream says it has used so far, or in all. */
export interface Told {
  readonly input: number
  readonly output: number
}

/** How an answer ends by its upstream's own word. */
export type Stop = 'complete' | 'incomplete'

/** One protocol's answers, with usage told or not told at every place where vendors tell it. */
export interface Teller {
  /** How a stream begins. */
  start(told?: Told): string
  /** A piece of text, with the usage so far. */
  piece(text: string, told?: Told): string
  /** The regular end. */
  stop(how: Stop, told?: Told): string
  /** An error inside of the stream, which is its end. */
  error(told?: Told): string
  /** The same answer unstreamed. */
  body(how: Stop, text: string, told?: Told): object
}

const model = 'test-model'
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const event = (value: { readonly type: string }) => `event: ${value.type}\n${data(value)}`
const broken = { message: 'it broke', code: 'server_error' }

/** Fields in which a report lies; none where there is none. */
const reportOf = (field: string, told: Told | undefined, names: readonly [string, string]) =>
  told === undefined ? {} : { [field]: { [names[0]]: told.input, [names[1]]: told.output } }

const chatUsage = (told?: Told) => reportOf('usage', told, ['prompt_tokens', 'completion_tokens'])
const chatReasons = { complete: 'stop', incomplete: 'length' } as const
const chatChunk = (delta: object, told?: Told, reason: string | null = null) =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...chatUsage(told),
  })

const chat: Teller = {
  start: (told) => chatChunk({ role: 'assistant', content: '' }, told),
  piece: (content, told) => chatChunk({ content }, told),
  stop: (how, told) =>
    chatChunk({}, undefined, chatReasons[how]) +
    (told ? data({ id: 'chatcmpl-1', choices: [], ...chatUsage(told) }) : '') +
    'data: [DONE]\n\n',
  error: (told) => data({ error: broken, ...chatUsage(told) }),
  body: (how, content, told) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content }, finish_reason: chatReasons[how] },
    ],
    ...chatUsage(told),
  }),
}

const plainUsage = (told?: Told) => reportOf('usage', told, ['input_tokens', 'output_tokens'])
const response = (status: string, told?: Told, more: object = {}) => ({
  response: { id: 'resp_1', object: 'response', model, status, ...plainUsage(told), ...more },
})
const responseEnds = { complete: 'completed', incomplete: 'incomplete' } as const

const responses: Teller = {
  start: (told) => event({ type: 'response.created', ...response('in_progress', told) }),
  piece: (delta, told) =>
    event({ type: 'response.output_text.delta', ...{ delta } }) +
    (told ? event({ type: 'response.in_progress', ...response('in_progress', told) }) : ''),
  stop: (how, told) =>
    event({ type: `response.${responseEnds[how]}`, ...response(responseEnds[how], told) }),
  error: (told) =>
    event({ type: 'response.failed', ...response('failed', told, { error: broken }) }),
  body: (how, text, told) => ({
    ...response(responseEnds[how], told).response,
    output: [{ type: 'message', content: [{ type: 'output_text', text }] }],
  }),
}

const message = { id: 'msg_1', type: 'message', role: 'assistant', model }
const messageReasons = { complete: 'end_turn', incomplete: 'max_tokens' } as const

const messages: Teller = {
  start: (told) =>
    event({
      type: 'message_start',
      ...{ message: { ...message, content: [], ...plainUsage(told) } },
    }) +
    event({
      type: 'content_block_start',
      ...{ index: 0, content_block: { type: 'text', text: '' } },
    }),
  // This protocol tells nothing between its start and its end.
  piece: (text) =>
    event({ type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text } } }),
  stop: (how, told) =>
    event({
      type: 'message_delta',
      ...{ delta: { stop_reason: messageReasons[how] } },
      ...(told && { usage: { output_tokens: told.output } }),
    }) + event({ type: 'message_stop' }),
  error: (told) =>
    (told
      ? event({ type: 'message_delta', ...{ delta: {}, usage: { output_tokens: told.output } } })
      : '') + event({ type: 'error', ...{ error: { type: 'api_error', ...broken } } }),
  body: (how, text, told) => ({
    ...message,
    content: [{ type: 'text', text }],
    stop_reason: messageReasons[how],
    ...plainUsage(told),
  }),
}

const geminiUsage = (told?: Told) =>
  reportOf('usageMetadata', told, ['promptTokenCount', 'candidatesTokenCount'])
const geminiReasons = { complete: 'STOP', incomplete: 'MAX_TOKENS' } as const
const geminiAnswer = (text: string, told?: Told, finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason, index: 0 }],
  ...geminiUsage(told),
})

const gemini: Teller = {
  start: (told) => data(geminiAnswer('', told)),
  piece: (text, told) => data(geminiAnswer(text, told)),
  stop: (how, told) => data(geminiAnswer('', told, geminiReasons[how])),
  error: (told) => data({ error: { ...broken, code: 500 }, ...geminiUsage(told) }),
  body: (how, text, told) => geminiAnswer(text, told, geminiReasons[how]),
}

/** The four protocols. */
export const tellers: Readonly<Record<Dialect['name'], Teller>> = {
  chat,
  responses,
  messages,
  gemini,
}
