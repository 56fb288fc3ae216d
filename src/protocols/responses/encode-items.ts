import type { Part, ReasoningPart, ToolResultPart, Turn } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeContentPart } from './encode-content.ts'

/**
 * The conversation as input items. Content is a list always, so that a turn that grows has its
 * earlier bytes as a prefix.
 */
export function encodeItems(turns: readonly Turn[]): JsonObject[] {
  return turns.flatMap(encodeTurn)
}

function encodeTurn({ role, parts }: Turn): JsonObject[] {
  if (parts.length === 0) return [{ type: 'message', role, content: '' }]
  const items: JsonObject[] = []
  let message: { readonly role: string; readonly content: JsonObject[] } | undefined
  for (const part of parts) {
    const isMedia = part.type === 'image' || part.type === 'document' || part.type === 'audio'
    // The vendor takes no media from the assistant: images that a model drew are shown by the user.
    const speaker = role === 'assistant' && isMedia ? 'user' : role
    const content = encodeContentPart(part, speaker === 'assistant')
    if (content === undefined) {
      message = undefined
      items.push(...encodePart(part))
      continue
    }
    if (message?.role !== speaker) {
      message = { role: speaker, content: [] }
      items.push({ type: 'message', ...message })
    }
    message.content.push(content)
  }
  return items
}

function encodePart(part: Part): JsonObject[] {
  switch (part.type) {
    case 'reasoning':
      return encodeReasoning(part)
    case 'tool-call': {
      const { callId, name, input } = part
      return part.kind === 'custom'
        ? [{ type: 'custom_tool_call', call_id: callId, name, input }]
        : [{ type: 'function_call', call_id: callId, name, arguments: input || '{}' }]
    }
    case 'tool-result': {
      const type = part.kind === 'custom' ? 'custom_tool_call_output' : 'function_call_output'
      return [{ type, call_id: part.callId, output: encodeResult(part.parts) }]
    }
    default:
      return []
  }
}

/**
 * The vendor takes its own reasoning only, in its encrypted form. The id may be left out (Codex
 * does), and is refused above 64 characters, which some vendors' are.
 */
function encodeReasoning({ text, signature, id }: ReasoningPart): JsonObject[] {
  if (signature === undefined) return []
  const summary = text === '' ? [] : [{ type: 'summary_text', text }]
  const item = { summary, encrypted_content: signature }
  const hasId = id !== undefined && id.length <= 64
  return [hasId ? { type: 'reasoning', id, ...item } : { type: 'reasoning', ...item }]
}

function encodeResult(parts: ToolResultPart['parts']): unknown {
  const [first] = parts
  if (first === undefined) return ''
  if (parts.length === 1 && first.type === 'text') return first.text
  return parts.map((part) => encodeContentPart(part, false))
}
