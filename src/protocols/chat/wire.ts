import { type Static, Type } from '@sinclair/typebox'
import * as t from '../check.ts'
import type { Fault } from '../protocol.ts'

const Message = Type.Object(
  { role: t.Name, content: t.nullable(t.Content) },
  { expected: 'an object' },
)

const Choices = Type.Integer({ minimum: 1, maximum: 128, expected: 'an integer from 1 to 128' })

const CompletionsRequest = Type.Object({
  model: t.Name,
  messages: Type.Array(Message, { minItems: 1, expected: 'a non-empty array of messages' }),
  stream: t.nullable(t.Flag),
  stream_options: t.nullable(t.Bag),
  max_tokens: t.nullable(t.PositiveInteger),
  max_completion_tokens: t.nullable(t.PositiveInteger),
  n: t.nullable(Choices),
  temperature: t.nullable(t.Num),
  tools: t.nullable(t.List),
})
type CompletionsRequest = Static<typeof CompletionsRequest>

/** The first fault of a chat completion request. */
export const checkCompletions = t.createCheck(
  CompletionsRequest,
  (body) => t.streamOptionsFault(body) ?? contentFault(body.messages),
)

/** Only model messages with calls may lack content; vendors reject the rest. */
function contentFault(messages: CompletionsRequest['messages']): Fault | undefined {
  const index = messages.findIndex(
    ({ role, content }) => (content === undefined || content === null) && spoken.has(role),
  )
  const message = messages[index]
  if (message === undefined) return undefined
  const param = `messages[${index}].content`
  const expected = 'a string or an array of content parts'
  return message.content === undefined
    ? t.missing(param, expected)
    : t.invalid(param, `${param} must be ${expected}, not null.`)
}

const spoken = new Set(['user', 'system', 'developer'])

const EmbeddingsRequest = Type.Object({
  model: t.Name,
  input: Type.Union([t.Text, t.List], { expected: 'a string or an array' }),
})

/** The first fault of an embeddings request. */
export const checkEmbeddings = t.createCheck(EmbeddingsRequest)

const ImagesRequest = Type.Object({
  model: t.Name,
  prompt: t.Text,
  n: t.nullable(Choices),
  stream: t.nullable(t.Flag),
})

/** The first fault of a JSON request for new or edited images. */
export const checkImages = t.createCheck(ImagesRequest)

const TextRequest = Type.Object({
  model: t.Name,
  prompt: Type.Union([t.Text, t.List], { expected: 'a string or an array' }),
  stream: t.nullable(t.Flag),
  stream_options: t.nullable(t.Bag),
  max_tokens: t.nullable(t.PositiveInteger),
  n: t.nullable(Choices),
  best_of: t.nullable(Choices),
  temperature: t.nullable(t.Num),
})

/** The first fault of a legacy completion request. */
export const checkTextCompletions = t.createCheck(
  TextRequest,
  (body) => t.streamOptionsFault(body) ?? promptFault(body.prompt),
)

/** Several prompts would be several contexts and bills. */
function promptFault(prompt: unknown): Fault | undefined {
  if (!Array.isArray(prompt)) return undefined
  if (prompt.length === 0)
    return t.invalid('prompt', 'prompt must hold a text, not an empty array.')
  const isOne = isTokens(prompt)
  const other = isOne ? -1 : prompt.findIndex((one) => typeof one !== 'string' && !isTokens(one))
  if (other >= 0)
    return t.invalid(
      `prompt[${other}]`,
      `prompt[${other}] must be a text, or LLM tokens as numbers.`,
    )
  const count = isOne ? 1 : prompt.length
  if (count === 1) return undefined
  return {
    code: 'unsupported_parameter',
    param: 'prompt',
    message: `prompt holds ${count} prompts, and one is taken at a time: send a request for each.`,
  }
}

const isTokens = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')
