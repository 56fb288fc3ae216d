import { type Static, Type } from '@sinclair/typebox'
import {
  Bag,
  Content,
  createCheck,
  Flag,
  invalid,
  List,
  missing,
  Name,
  Num,
  nullable,
  PositiveInteger,
  streamOptionsFault,
  Text,
} from '../check.ts'
import { countIn, isJsonObject } from '../json.ts'
import type { Fault, JsonObject, RequestFacts } from '../protocol.ts'
import { requestMedia } from '../request-media.ts'
import { requestText } from '../request-text.ts'

const Message = Type.Object({ role: Name, content: nullable(Content) }, { expected: 'an object' })

const Choices = Type.Integer({ minimum: 1, maximum: 128, expected: 'an integer from 1 to 128' })

/** What the gateway reads of a chat completion request. Source: OpenAI's API reference. */
export const CompletionsRequest = Type.Object({
  model: Name,
  messages: Type.Array(Message, { minItems: 1, expected: 'a non-empty array of messages' }),
  stream: nullable(Flag),
  stream_options: nullable(Bag),
  max_tokens: nullable(PositiveInteger),
  max_completion_tokens: nullable(PositiveInteger),
  n: nullable(Choices),
  temperature: nullable(Num),
  tools: nullable(List),
})
export type CompletionsRequest = Static<typeof CompletionsRequest>

/** The first fault of a chat completion request. */
export const checkCompletions = createCheck(
  CompletionsRequest,
  (body) => streamOptionsFault(body) ?? contentFault(body.messages),
)

/** Only answers of the model may lack content, when they call tools; vendors refuse the rest. */
function contentFault(messages: CompletionsRequest['messages']): Fault | undefined {
  const index = messages.findIndex(
    ({ role, content }) => (content === undefined || content === null) && spoken.has(role),
  )
  const message = messages[index]
  if (message === undefined) return undefined
  const param = `messages[${index}].content`
  const expected = 'a string or an array of content parts'
  return message.content === undefined
    ? missing(param, expected)
    : invalid(param, `${param} must be ${expected}, not null.`)
}

const spoken = new Set(['user', 'system', 'developer'])

/** Reads a checked chat completion request. */
export function readCompletions(body: JsonObject): RequestFacts {
  const stream = body.stream === true
  return {
    ...readPlain(body, 1, () => requestText([body.messages], body.tools ?? body.functions)),
    stream,
    answers: typeof body.n === 'number' ? body.n : 1,
    maxOutputTokens: countIn(body, 'max_completion_tokens') ?? countIn(body, 'max_tokens') ?? null,
    takesTurns: isJsonObject(body.web_search_options),
    media: (texts) => requestMedia([body.messages], texts),
    amend: stream ? amendUsage(body.stream_options) : {},
  }
}

/** Without `include_usage` a stream reports no usage, and there would be nothing to bill by. */
function amendUsage(options: unknown): RequestFacts['amend'] {
  const existing = isJsonObject(options) ? options : {}
  if (existing.include_usage === true) return {}
  return { stream_options: { ...existing, include_usage: true } }
}

const EmbeddingsRequest = Type.Object({
  model: Name,
  input: Type.Union([Text, List], { expected: 'a string or an array' }),
})

/** The first fault of an embeddings request. */
export const checkEmbeddings = createCheck(EmbeddingsRequest)

/** Reads a checked embeddings request. */
export function readEmbeddings(body: JsonObject): RequestFacts {
  return { ...readPlain(body, 1, () => requestText([body.input], undefined)), maxOutputTokens: 0 }
}

const ImagesRequest = Type.Object({
  model: Name,
  prompt: Text,
  n: nullable(Choices),
  stream: nullable(Flag),
})

/** The first fault of a JSON request for new or edited images. */
export const checkImages = createCheck(ImagesRequest)

/** Reads a checked request for images: `n` of them are `n` calls. */
export function readImages(body: JsonObject): RequestFacts {
  const calls = typeof body.n === 'number' ? body.n : 1
  return {
    ...readPlain(body, calls, () => requestText([body.prompt], undefined)),
    answers: calls,
    stream: body.stream === true,
  }
}

function readPlain(body: JsonObject, calls: number, text: () => string): RequestFacts {
  return {
    model: typeof body.model === 'string' ? body.model : undefined,
    stream: false,
    calls,
    continues: [],
    amend: {},
    answers: 1,
    maxOutputTokens: null,
    takesTurns: false,
    text,
    media: () => ({ tokens: 0, bytes: 0 }),
  }
}
