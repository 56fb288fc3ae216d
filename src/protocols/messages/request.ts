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
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import { hasOnlyKnown } from '../known-fields.ts'
import { loosest } from '../limits.ts'
import { type Fault, hostedTurns, type JsonObject, type RequestFacts } from '../protocol.ts'
import { requestMedia } from '../request-media.ts'
import { requestText } from '../request-text.ts'
import { toolBounds } from '../tool-bounds.ts'
import { hiddenWork } from './hidden-work.ts'
import { readExtras } from './request-extras.ts'
import { isClientTool } from './tools.ts'

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
export const MessagesRequest = Type.Object({
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

/** Reads a checked request of either kind. */
export function readMessages(body: JsonObject): RequestFacts {
  const previous = stringIn(objectIn(body, 'thread'), 'previous_message_id')
  const counted = () =>
    requestText(
      body,
      [body.system, body.messages],
      [body.tools, objectIn(objectIn(body, 'output_config'), 'format')?.schema],
    )
  const extras = readExtras(body)
  return {
    model: stringIn(body, 'model'),
    stream: body.stream === true,
    calls: 1,
    // A thread lives in the upstream account that began it.
    continues: previous === undefined ? [] : [previous],
    keepsAnswer: isJsonObject(body.thread),
    amend: {},
    answers: 1,
    maxOutputTokens: loosest(body, countIn(body, 'max_tokens')),
    hiddenWork: () => hiddenWork(body),
    takesTurns: hasHostedTools(body),
    turns: turnsOf(body),
    // A container may hold files, and what a skill tells the model.
    hasUnseenInput: !hasOnlyKnown(body, contentFields),
    betas: betasIn(body),
    extras,
    toolBounds: toolBounds(body, extras),
    media: (texts) => requestMedia([body.system, body.messages], texts),
    text: () => counted().text(),
    uncounted: () => counted().uncounted(),
  }
}

/** Those who resell the vendor's models take them in the body. Source: AWS, "Anthropic Claude Messages". */
function betasIn({ anthropic_beta, betas }: JsonObject): readonly string[] {
  if (anthropic_beta === undefined && betas === undefined) return nothing
  return [anthropic_beta, betas].flat().filter((name) => typeof name === 'string')
}

const nothing: readonly never[] = []

/** A thread is told by its id. */
const contentFields = new Set(['system', 'messages', 'thread'])

/** Compaction asks the model once more; other edits of the context do not. */
function turnsOf(body: JsonObject): number {
  const { context_management: _, ...rest } = body
  if (hasHostedTools(rest)) return hostedTurns
  const edits = arrayIn(objectIn(body, 'context_management'), 'edits').filter(isJsonObject)
  return edits.some(({ type }) => String(type).startsWith('compact')) ? 2 : 1
}

/** Tools that the vendor runs have a type of their own (`web_search_20250305`); so have some of the client's. */
function hasHostedTools(body: JsonObject): boolean {
  if (arrayIn(body, 'mcp_servers').length > 0 || isJsonObject(body.context_management)) return true
  return arrayIn(body, 'tools')
    .filter(isJsonObject)
    .some(({ type }) => typeof type === 'string' && type !== 'custom' && !isClientTool(type))
}
