import type { JsonObject } from '../../../../src/protocols/protocol.ts'
import type { Asked, Piece, Reply } from '../conversation.ts'
import { type Frames, namedFrame, words } from './vendor.ts'

const inputUsage = {
  input_tokens: 20,
  cache_creation_input_tokens: 7,
  cache_read_input_tokens: 12,
  cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 0 },
}
const outputUsage = { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } }

const head = {
  model: 'claude-sonnet-4-6',
  id: 'msg_013GVLcwrDVEp3LaeoxxzgrK',
  type: 'message',
  role: 'assistant',
}

const ends = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  calls: 'tool_use',
  refusal: 'refusal',
} as const

const endOf = ({ finish }: Reply, { stop }: Asked) => ({
  stop_reason: ends[finish],
  stop_sequence: finish === 'stop-sequence' ? (stop?.[0] ?? null) : null,
  stop_details:
    finish === 'refusal' ? { type: 'refusal', category: 'cyber', explanation: refused } : null,
})

/** What the vendor says of a refusal, which has no words of the model's. */
export const refused = 'This request was blocked under our usage policy.'

/** A message. */
export function whole(reply: Reply, asked: Asked): JsonObject {
  const content = reply.pieces.map((piece) => blockOf(piece, 'whole'))
  const usage = { ...inputUsage, ...outputUsage, service_tier: 'standard' }
  return { ...head, content, ...endOf(reply, asked), usage }
}

function blockOf(piece: Piece, how: 'whole' | 'begun'): JsonObject {
  const isWhole = how === 'whole'
  if (piece.type === 'call') {
    const { id, name, input } = piece
    return { type: 'tool_use', id, name, input: isWhole ? input : {} }
  }
  if (piece.type !== 'reasoning') return { type: 'text', text: isWhole ? piece.text : '' }
  const { text, signature, isRedacted } = piece
  if (isRedacted) return { type: 'redacted_thinking', data: signature }
  return isWhole
    ? { type: 'thinking', thinking: text, signature }
    : { type: 'thinking', thinking: '', signature: '' }
}

function deltasOf(piece: Piece): readonly JsonObject[] {
  if (piece.type === 'call') {
    return ['', ...words(JSON.stringify(piece.input))].map((partial_json) => ({
      type: 'input_json_delta',
      partial_json,
    }))
  }
  if (piece.type !== 'reasoning') {
    return words(piece.text).map((text) => ({ type: 'text_delta', text }))
  }
  if (piece.isRedacted) return []
  const thoughts = words(piece.text).map((thinking) => ({ type: 'thinking_delta', thinking }))
  return [...thoughts, { type: 'signature_delta', signature: piece.signature }]
}

/** The events of one. */
export function stream(reply: Reply, asked: Asked): Frames {
  const usage = { ...inputUsage, output_tokens: 1, service_tier: 'standard' }
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage }
  const blocks = reply.pieces.flatMap((piece, index) => [
    { type: 'content_block_start', index, content_block: blockOf(piece, 'begun') },
    { type: 'ping' },
    ...deltasOf(piece).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ])
  const delta = endOf(reply, asked)
  const end = { type: 'message_delta', delta, usage: { ...inputUsage, ...outputUsage } }
  const events = [{ type: 'message_start', message }, ...blocks, end, { type: 'message_stop' }]
  return { frames: events.map(namedFrame), tail: 3 }
}
