import { type Static, Type } from '@sinclair/typebox'
import {
  Content,
  createCheck,
  Flag,
  invalid,
  List,
  Name,
  Num,
  nullable,
  Objects,
  PositiveInteger,
  Text,
} from '../check.ts'
import type { Fault } from '../protocol.ts'

const Message = Type.Object({ role: Name, content: Content }, { expected: 'an object' })

const Thread = Type.Object(
  { type: Type.Optional(Text), previous_message_id: nullable(Text) },
  { expected: 'an object' },
)

/** What a count and a message have in common. Source: Anthropic's API reference, "Messages". */
export const CountTokensRequest = Type.Object({
  model: Name,
  messages: Type.Array(Message, { expected: 'an array of messages' }),
  system: nullable(
    Type.Union([Text, Objects], { expected: 'a string or an array of text blocks' }),
  ),
  tools: nullable(List),
  thread: nullable(Thread),
})

/** What the gateway reads of a message request. */
const MessagesRequest = Type.Object({
  ...CountTokensRequest.properties,
  max_tokens: PositiveInteger,
  stream: nullable(Flag),
  temperature: nullable(Num),
})

/** The first fault of a message request. */
export const checkMessages = createCheck(MessagesRequest, messagesFault)

/** The first fault of a request for a token count. */
export const checkCountTokens = createCheck(CountTokensRequest, messagesFault)

/** A thread goes on without a new message (after a pause, say); all else begins with one. */
function messagesFault({ messages, thread }: Static<typeof CountTokensRequest>): Fault | undefined {
  if (messages.length > 0 || thread?.type === 'continue') return undefined
  return invalid('messages', 'messages must be a non-empty array of messages, not empty.')
}
