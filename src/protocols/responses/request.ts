import { type Static, Type } from '@sinclair/typebox'
import {
  Bag,
  Content,
  createCheck,
  Flag,
  List,
  missing,
  Name,
  Num,
  nullable,
  PositiveInteger,
  streamOptionsFault,
  Text,
} from '../check.ts'
import { arrayIn, countIn, isJsonObject, objectIn } from '../json.ts'
import { hasOnlyKnown } from '../known-parts.ts'
import { type Fault, hostedTurns, type JsonObject, type RequestFacts } from '../protocol.ts'
import { loosest, toolBounds } from '../request-facts.ts'
import { requestMedia } from '../request-media.ts'
import { requestText } from '../request-text.ts'
import { hiddenWork } from './hidden-work.ts'
import { itemIdsIn } from './item-ids.ts'
import { readExtras } from './request-extras.ts'

const Item = Type.Object(
  { type: nullable(Name), role: nullable(Name), content: nullable(Content) },
  { expected: 'an object' },
)

const Input = Type.Union([Text, Type.Array(Item, { expected: 'an array of items' })], {
  expected: 'a string or an array of items',
})

/** What the gateway reads of a responses request. Source: OpenAI's API reference. */
export const ResponsesRequest = Type.Object({
  model: Name,
  input: nullable(Input),
  instructions: nullable(Type.Union([Text, List], { expected: 'a string or an array' })),
  previous_response_id: nullable(Text),
  conversation: nullable(Type.Union([Text, Bag], { expected: 'a string or an object' })),
  prompt: nullable(Bag),
  stream: nullable(Flag),
  stream_options: nullable(Bag),
  store: nullable(Flag),
  background: nullable(Flag),
  max_output_tokens: nullable(PositiveInteger),
  temperature: nullable(Num),
  tools: nullable(List),
})
export type ResponsesRequest = Static<typeof ResponsesRequest>

/** The first fault of a request for a response, its compaction or its input count. */
export const checkResponses = createCheck(
  ResponsesRequest,
  (body) => streamOptionsFault(body) ?? inputFault(body),
)

/** Without input there must be something else to answer to. */
function inputFault(body: ResponsesRequest): Fault | undefined {
  const starts = [body.input, body.prompt, body.previous_response_id, body.conversation]
  if (starts.some((start) => start !== undefined && start !== null)) return undefined
  return missing('input', 'a string or an array of items')
}

/** Reads a checked request. */
export function readResponses(body: JsonObject): RequestFacts {
  const { references, whole } = itemIdsIn(body)
  const counted = () =>
    requestText(
      body,
      [body.instructions, body.input, body.prompt],
      [body.tools, objectIn(objectIn(body, 'text'), 'format')?.schema],
    )
  const extras = readExtras(body)
  return {
    model: typeof body.model === 'string' ? body.model : undefined,
    stream: body.stream === true,
    calls: 1,
    continues: referredIds(body, references),
    wholeIds: whole,
    amend: {},
    answers: 1,
    maxOutputTokens: loosest(body, countIn(body, 'max_output_tokens')),
    hiddenWork: () => hiddenWork(body),
    takesTurns: hasHostedTools(body),
    background: body.background === true,
    turns: hasHostedTools(body) ? hostedTurns : 1,
    hasUnseenInput: !hasOnlyKnown(body, contentFields),
    extras,
    toolBounds: toolBounds(body, extras),
    media: (texts) => requestMedia([body.instructions, body.input], texts),
    text: () => counted().text(),
    uncounted: () => counted().uncounted(),
  }
}

/** What is continued is told by its id; a stored prompt is not here. */
const contentFields = new Set(['instructions', 'input', 'previous_response_id', 'conversation'])

/** An earlier response, a conversation, or items of earlier answers that are sent by id only. */
function referredIds(body: JsonObject, references: readonly string[]): readonly string[] {
  const { conversation } = body
  return [
    body.previous_response_id,
    isJsonObject(conversation) ? conversation.id : conversation,
    ...references,
  ].filter((id): id is string => typeof id === 'string' && id !== '')
}

/** All but functions and custom tools may be run by the vendor; a stored prompt may bring some. */
function hasHostedTools(body: JsonObject): boolean {
  if (isJsonObject(body.prompt)) return true
  return arrayIn(body, 'tools')
    .filter(isJsonObject)
    .some(({ type }) => type !== 'function' && type !== 'custom')
}
