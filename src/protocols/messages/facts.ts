import { type Static, Type } from '@sinclair/typebox'
import { tierName } from '../canonical/extras.ts'
import type { HostedTool } from '../canonical/tools.ts'
import * as t from '../check.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn, wordSet } from '../json.ts'
import { hasOnlyKnown } from '../known-parts.ts'
import { type Fault, hostedTurns, type JsonObject, type RequestFacts } from '../protocol.ts'
import { requestMedia, requestText } from '../request-content.ts'
import {
  type HostedToolAsk,
  hasTwoKinds,
  namedTool,
  type RequestExtras,
  requestExtras,
  type TierAsk,
} from '../request-extras.ts'
import {
  allOfTypes,
  baseFacts,
  type HiddenWork,
  hasOnly,
  isPlain,
  largestLimit,
} from '../request-facts.ts'
import { isClientTool } from './tools.ts'

const Message = Type.Object({ role: t.Name, content: t.Content }, { expected: 'an object' })

const Thread = Type.Object(
  { type: Type.Optional(t.Text), previous_message_id: t.nullable(t.Text) },
  { expected: 'an object' },
)

/** Fields of both count and message. Source: Anthropic's API reference, "Messages". */
export const CountTokensRequest = Type.Object({
  model: t.Name,
  messages: Type.Array(Message, { expected: 'an array of messages' }),
  system: t.nullable(
    Type.Union([t.Text, t.Objects], { expected: 'a string or an array of text blocks' }),
  ),
  tools: t.nullable(t.List),
  thread: t.nullable(Thread),
})

const MessagesRequest = Type.Object({
  ...CountTokensRequest.properties,
  max_tokens: t.PositiveInteger,
  stream: t.nullable(t.Flag),
  temperature: t.nullable(t.Num),
})

/** The first fault of a message request. */
export const checkMessages = t.createCheck(MessagesRequest, messagesFault)

/** The first fault of a request for a token count. */
export const checkCountTokens = t.createCheck(CountTokensRequest, messagesFault)

/** A thread continues without a new message (after a pause); all else begins with one. */
function messagesFault({ messages, thread }: Static<typeof CountTokensRequest>): Fault | undefined {
  if (messages.length > 0 || thread?.type === 'continue') return undefined
  return t.invalid('messages', 'messages must be a non-empty array of messages, not empty.')
}

/** Reads a checked request of either kind. */
export function readMessages(body: JsonObject): RequestFacts {
  const previous = stringIn(objectIn(body, 'thread'), 'previous_message_id')
  const format = objectIn(objectIn(body, 'output_config'), 'format')
  const prompts = [body.system, body.messages]
  return {
    ...baseFacts(body, readExtras(body)),
    ...requestText(body, prompts, [body.tools, format?.schema]),
    // A thread belongs to the upstream account that began it.
    continues: previous === undefined ? [] : [previous],
    keepsAnswer: isJsonObject(body.thread),
    maxOutputTokens: largestLimit(body, countIn(body, 'max_tokens')),
    hiddenWork: () => hiddenWork(body),
    takesTurns: hasHostedTools(body),
    turns: turnsOf(body),
    // A container may hold files, and skills hold instructions.
    hasUnseenInput: !hasOnlyKnown(body, contentFields),
    betas: betasIn(body),
    media: (texts) => requestMedia(prompts, texts),
  }
}

/** Resellers of the vendor's models take betas in the body. Source: AWS, "Anthropic Claude Messages". */
function betasIn({ anthropic_beta, betas }: JsonObject): readonly string[] {
  if (anthropic_beta === undefined && betas === undefined) return nothing
  return [anthropic_beta, betas].flat().filter((name) => typeof name === 'string')
}

const nothing: readonly never[] = []

const contentFields = new Set(['system', 'messages', 'thread'])

/** Compaction calls the model once more; other context edits do not. */
function turnsOf(body: JsonObject): number {
  const { context_management: _, ...rest } = body
  if (hasHostedTools(rest)) return hostedTurns
  const edits = arrayIn(objectIn(body, 'context_management'), 'edits').filter(isJsonObject)
  return edits.some(({ type }) => String(type).startsWith('compact')) ? 2 : 1
}

/** Vendor-run tools have a type (`web_search_20250305`); so do some of the client's. */
function hasHostedTools(body: JsonObject): boolean {
  if (arrayIn(body, 'mcp_servers').length > 0 || isJsonObject(body.context_management)) return true
  return arrayIn(body, 'tools')
    .filter(isJsonObject)
    .some(({ type }) => typeof type === 'string' && type !== 'custom' && !isClientTool(type))
}

/** Kinds with a date in their name. `advisor_…` calls another model, and has no price. */
const kinds: readonly (readonly [kind: RegExp, tool: HostedTool])[] = [
  [/^web_search/, 'web_search'],
  [/^web_fetch/, 'web_fetch'],
  [/^code_execution/, 'code_execution'],
  [/^tool_search/, 'tool_search'],
  [/^mcp_toolset/, 'mcp'],
]

/** What a message asks for besides text. */
export function readExtras(body: JsonObject): RequestExtras | undefined {
  return requestExtras(body, { hostedTools: toolsIn(body), tiers: tiersIn(body) })
}

function toolsIn(body: JsonObject): readonly HostedToolAsk[] {
  const tools = arrayIn(body, 'tools')
  const choice = objectIn(body, 'tool_choice')
  const found: HostedToolAsk[] = []
  let isAll: boolean | undefined
  tools.forEach((tool, index) => {
    if (!isJsonObject(tool) || !isHosted(tool)) return
    const isNamed = choice?.type === 'tool' && choice.name === tool.name
    isAll ??= tools.every(isHosted)
    found.push({
      tool: namedTool(kinds, `${tool.type}`),
      path: ['tools', index],
      isForced: isNamed || (isAll && choice?.type === 'any'),
      mentions: [],
    })
  })
  if (arrayIn(body, 'mcp_servers').length === 0) return found
  return [...found, { tool: 'mcp', path: ['mcp_servers'], isForced: false, mentions: [] }]
}

function isHosted(tool: unknown): boolean {
  if (!isJsonObject(tool)) return false
  const { type } = tool
  if (hasTwoKinds(tool)) return true
  return (type ?? undefined) !== undefined && type !== 'custom' && !isClientTool(`${type}`)
}

const tierFields = ['service_tier', 'speed', 'inference_geo']

function tiersIn(body: JsonObject): readonly TierAsk[] {
  const found: TierAsk[] = []
  for (const field of tierFields) {
    const tier = body[field] === undefined ? undefined : tierName(body[field])
    if (tier) found.push({ tier, path: [field] })
  }
  return found
}

const shownFields = wordSet(`
  model messages max_tokens stream system stop_sequences temperature top_p top_k tools tool_choice
  metadata thinking output_config service_tier cache_control
`)

/** Work that a request causes and no stream shows. */
export function hiddenWork(body: JsonObject): HiddenWork {
  const thinking = isJsonObject(body.thinking) ? body.thinking.type : body.thinking
  const isShown =
    hasOnly(body, shownFields) &&
    isPlain(thinking, 'disabled') &&
    isPlain(body.service_tier, 'standard_only', 'auto') &&
    allOfTypes(body.tools, [undefined, 'custom'])
  if (!isShown) return 'some'
  return thinking === 'disabled' ? 'none' : 'by_model'
}
