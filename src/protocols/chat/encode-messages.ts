import type { Quirk } from '../canonical/quirks.ts'
import type { Part, ToolCallPart, ToolResultPart, Turn } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeCall } from './calls.ts'
import { type ContentStyle, encodeContent, groupByName, splitResult } from './encode-content.ts'
import { defined } from './fields.ts'
import { joinReasoning } from './reasoning.ts'

/** The messages of a conversation; those of a turn depend on that turn only. */
export function encodeMessages(
  turns: readonly Turn[],
  quirks: ReadonlySet<Quirk>,
): readonly JsonObject[] {
  // Upstreams that take text only often want content to be a string.
  const joint = quirks.has('text_only') ? '\n\n' : undefined
  const style = { marksCache: quirks.has('cache_control'), joint }
  return turns.flatMap((turn) => {
    if (turn.role === 'user') return encodeUser(turn.parts, quirks, style)
    if (turn.role === 'assistant') return encodeAssistant(turn.parts, quirks, style)
    const role = quirks.has('no_developer_role') ? 'system' : turn.role
    return encodeSpoken(role, turn.parts, style)
  })
}

/** Messages of one role, one for each stretch of the same participant. */
function encodeSpoken(role: string, parts: readonly Part[], style: ContentStyle): JsonObject[] {
  return groupByName(parts).map((group) =>
    defined({ role, name: group.name, content: encodeContent(group.parts, style) }),
  )
}

/** The results first, as the vendor demands: right behind the calls that they answer. */
function encodeUser(
  parts: readonly Part[],
  quirks: ReadonlySet<Quirk>,
  style: ContentStyle,
): JsonObject[] {
  if (parts.length === 0) return [{ role: 'user', content: '' }]
  const isTextOnly = !quirks.has('image_tool_results')
  const results: JsonObject[] = []
  const rest: Part[] = []
  for (const part of parts) {
    if (part.type !== 'tool-result') continue
    const { message, moved } = encodeResult(part, isTextOnly, style)
    results.push(message)
    rest.push(...moved)
  }
  rest.push(...parts.filter((part) => part.type !== 'tool-result'))
  return [...results, ...encodeSpoken('user', rest, style)]
}

function encodeResult(result: ToolResultPart, isTextOnly: boolean, style: ContentStyle) {
  const { kept, moved } = splitResult(result, isTextOnly)
  const content = encodeContent(kept, isTextOnly ? { ...style, joint: '\n' } : style)
  return { message: { role: 'tool', tool_call_id: result.callId, content }, moved }
}

/**
 * One message, since results must follow right behind its calls. Images that the model made are no
 * content of its own in chat: they go into a message of the user beside it.
 */
function encodeAssistant(
  parts: readonly Part[],
  quirks: ReadonlySet<Quirk>,
  style: ContentStyle,
): JsonObject[] {
  const calls = parts.filter((part) => part.type === 'tool-call')
  const images = parts.filter((part) => part.type === 'image')
  const spoken = parts.filter((part) => part.type === 'text' || part.type === 'refusal')
  const last = spoken.at(-1)
  const isTail =
    last?.type === 'refusal' && spoken.every((part) => part.type === 'text' || part === last)
  const content = isTail ? spoken.slice(0, -1) : spoken
  const message = defined({
    role: 'assistant',
    name: content.find((part) => part.type === 'text')?.name,
    content:
      content.length === 0 && (calls.length > 0 || isTail) ? null : encodeContent(content, style),
    refusal: isTail ? last.text : undefined,
    reasoning_content: quirks.has('reasoning_content') ? reasoningOf(parts, calls) : undefined,
    tool_calls: calls.length === 0 ? undefined : calls.map(encodeCall),
  })
  if (images.length === 0) return [message]
  const shown = encodeSpoken('user', images, style)
  return calls.length === 0 ? [message, ...shown] : [...shown, message]
}

/**
 * Moonshot refuses a message with calls and no reasoning, also when it is '' (DeepSeek at times,
 * too); a space is enough. Source: github.com/theopenco/llmgateway/pull/2093.
 */
function reasoningOf(parts: readonly Part[], calls: readonly ToolCallPart[]): string | undefined {
  const text = joinReasoning(
    parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])),
  )
  if (text !== '') return text
  return calls.length > 0 ? ' ' : undefined
}
