import type { CanonicalRequest, Turn } from '../canonical/request.ts'
import { countLeadingInstructions } from '../canonical/turns.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeContent, encodePart } from './encode-parts.ts'

/** The conversation in this protocol's two places. */
export interface Conversation {
  readonly system: unknown
  readonly messages: readonly JsonObject[]
}

interface Message {
  readonly role: 'user' | 'assistant'
  readonly blocks: JsonObject[]
}

/**
 * Turns as `system` and `messages`. Instructions within the conversation are user text in tags of
 * their own: role `system` there is for the newest models only. So are all of them when the user says
 * nothing: the vendor wants a message. A turn of which nothing can be sent is left out.
 */
export function encodeTurns({ turns }: Pick<CanonicalRequest, 'turns'>): Conversation {
  const count = countSystem(turns)
  const messages: Message[] = []
  for (const turn of turns.slice(count)) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user'
    const blocks = blocksOf(turn)
    const last = messages.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else if (blocks.length > 0) messages.push({ role, blocks: [...blocks] })
  }
  const system = turns.slice(0, count).flatMap(instructions)
  return {
    system: system.length === 0 ? undefined : encodeContent(system),
    messages: messages.map(encodeMessage),
  }
}

/** How many turns are `system`. */
function countSystem(turns: readonly Turn[]): number {
  const leading = countLeadingInstructions(turns)
  const first = turns[leading]
  const isMute = first === undefined || (first.role === 'user' && encodeAll(first).length === 0)
  return isMute ? 0 : leading
}

/** Whether there would be no message. */
export const isSilent = ({ turns }: Pick<CanonicalRequest, 'turns'>): boolean =>
  turns.slice(countSystem(turns)).every((turn) => blocksOf(turn).length === 0)

function blocksOf(turn: Turn): readonly JsonObject[] {
  if (turn.role === 'user') return encodeAll(turn)
  if (turn.role !== 'assistant') return instructions(turn).map(inTags)
  const blocks = encodeAll(turn)
  // "The final block in an assistant message cannot be `thinking`", says the vendor.
  const end = blocks.findLastIndex(({ type }) => !isThinking(type))
  return blocks.slice(0, end + 1)
}

const encodeAll = ({ parts }: Turn): readonly JsonObject[] =>
  parts.map(encodePart).filter((block) => block !== undefined)

const instructions = (turn: Turn): readonly JsonObject[] =>
  encodeAll(turn).filter(({ type }) => type === 'text')

const inTags = (block: JsonObject): JsonObject => ({
  ...block,
  text: `<system>\n${block.text}\n</system>`,
})

/** A message that answers calls must begin with the results, says the vendor. */
function encodeMessage({ role, blocks }: Message): JsonObject {
  const isResult = ({ type }: JsonObject) => type === 'tool_result'
  const results = blocks.filter(isResult)
  const sorted =
    results.length === 0 ? blocks : [...results, ...blocks.filter((block) => !isResult(block))]
  return { role, content: encodeContent(sorted) }
}

/** Whether a block is reasoning, shown or withheld. */
export const isThinking = (type: unknown): boolean =>
  type === 'thinking' || type === 'redacted_thinking'
