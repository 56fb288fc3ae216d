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
import type { Fault } from '../protocol.ts'

const Message = Type.Object({ role: Name, content: nullable(Content) }, { expected: 'an object' })

const Choices = Type.Integer({
  minimum: 1,
  maximum: 128,
  expected: 'an integer from 1 to 128',
})

const CompletionsRequest = Type.Object({
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
type CompletionsRequest = Static<typeof CompletionsRequest>

/** The first fault of a chat completion request. */
export const checkCompletions = createCheck(
  CompletionsRequest,
  (body) => streamOptionsFault(body) ?? contentFault(body.messages),
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
    ? missing(param, expected)
    : invalid(param, `${param} must be ${expected}, not null.`)
}

const spoken = new Set(['user', 'system', 'developer'])

const EmbeddingsRequest = Type.Object({
  model: Name,
  input: Type.Union([Text, List], { expected: 'a string or an array' }),
})

/** The first fault of an embeddings request. */
export const checkEmbeddings = createCheck(EmbeddingsRequest)

const ImagesRequest = Type.Object({
  model: Name,
  prompt: Text,
  n: nullable(Choices),
  stream: nullable(Flag),
})

/** The first fault of a JSON request for new or edited images. */
export const checkImages = createCheck(ImagesRequest)

const TextRequest = Type.Object({
  model: Name,
  prompt: Type.Union([Text, List], { expected: 'a string or an array' }),
  stream: nullable(Flag),
  stream_options: nullable(Bag),
  max_tokens: nullable(PositiveInteger),
  n: nullable(Choices),
  best_of: nullable(Choices),
  temperature: nullable(Num),
})

/** The first fault of a legacy completion request. */
export const checkTextCompletions = createCheck(
  TextRequest,
  (body) => streamOptionsFault(body) ?? promptFault(body.prompt),
)

/** Several prompts would be several contexts and bills. */
function promptFault(prompt: unknown): Fault | undefined {
  if (!Array.isArray(prompt)) return undefined
  if (prompt.length === 0) return invalid('prompt', 'prompt must hold a text, not an empty array.')
  const isOne = isTokens(prompt)
  const other = isOne ? -1 : prompt.findIndex((one) => typeof one !== 'string' && !isTokens(one))
  if (other >= 0)
    return invalid(`prompt[${other}]`, `prompt[${other}] must be a text, or LLM tokens as numbers.`)
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
