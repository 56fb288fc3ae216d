import type { JsonObject } from '../../../../src/protocols/protocol.ts'
import type { Piece, Reply } from '../conversation.ts'
import { type Frames, namedFrame, words } from './vendor.ts'

/** Encrypted reasoning, in the URL's base64. */
export const encrypted = (number: number): string =>
  `gAAAAABo${Buffer.from(`responses ${number} ${'ûÿ>?~ÿ'.repeat(200)}`, 'latin1').toString('base64url')}==`

const usage = {
  input_tokens: 32,
  input_tokens_details: { cached_tokens: 12 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 41,
}

/** A response with this output. */
export const responseOf = (status: string, output: readonly JsonObject[]) => ({
  id: 'resp_68c1fb6b6a248196a6216e80fc2ace380c14a8a9087e8689',
  object: 'response',
  created_at: 1_783_375_763,
  status,
  background: false,
  error: null,
  incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
  instructions: null,
  max_output_tokens: null,
  model: 'gpt-5.2-2026-08-07',
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: 'medium', summary: 'detailed' },
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage: status === 'completed' || status === 'incomplete' ? usage : null,
  user: null,
  metadata: {},
})

const statusOf = ({ finish }: Reply) => (finish === 'length' ? 'incomplete' : 'completed')

/** A response. */
export const whole = (reply: Reply): JsonObject =>
  responseOf(
    statusOf(reply),
    reply.pieces.map((piece, index) => itemOf(piece, index)),
  )

const ids = { reasoning: 'rs', call: 'fc', text: 'msg', refusal: 'msg' } as const

function itemOf(piece: Piece, index: number, status = 'completed'): JsonObject {
  const id = `${ids[piece.type]}_68c1fb6b${index}`
  const isDone = status === 'completed'
  switch (piece.type) {
    case 'reasoning': {
      const summary = isDone ? [{ type: 'summary_text', text: piece.text }] : []
      // What is there at the beginning is not yet what has to come back.
      const encrypted_content = isDone ? piece.signature : `${encrypted(0)}begun`
      return { id, type: 'reasoning', summary, encrypted_content }
    }
    case 'call': {
      const input = isDone ? JSON.stringify(piece.input) : ''
      const { id: call_id, name } = piece
      return { id, type: 'function_call', status, arguments: input, call_id, name }
    }
    default: {
      const content = isDone ? [partOf(piece, piece.text)] : []
      return { id, type: 'message', status, role: 'assistant', content }
    }
  }
}

const partOf = ({ type }: Piece, text: string): JsonObject =>
  type === 'refusal'
    ? { type, refusal: text }
    : { type: 'output_text', annotations: [], logprobs: [], text }

/** The events of one. */
export function stream(reply: Reply): Frames {
  const begun = responseOf('in_progress', [])
  const events: JsonObject[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...reply.pieces.flatMap(itemEvents),
    { type: `response.${statusOf(reply)}`, response: whole(reply) },
  ]
  const frames = events.map((event, sequence_number) => {
    return namedFrame({ type: event.type, sequence_number, ...event })
  })
  // Behind the last words: the text, its part and its item are done, and the response.
  return { frames, tail: 4 }
}

function itemEvents(piece: Piece, output_index: number): readonly JsonObject[] {
  const item = itemOf(piece, output_index)
  const at = { item_id: item.id, output_index }
  const started = itemOf(piece, output_index, 'in_progress')
  return [
    { type: 'response.output_item.added', output_index, item: started },
    ...insideEvents(piece, at),
    { type: 'response.output_item.done', output_index, item },
  ]
}

function insideEvents(piece: Piece, at: JsonObject): readonly JsonObject[] {
  const deltas = (type: string, text: string, more: JsonObject) =>
    words(text).map((delta) => ({ type, ...at, ...more, delta, obfuscation: 'x' }))
  if (piece.type === 'call') {
    const type = 'response.function_call_arguments'
    const input = JSON.stringify(piece.input)
    return [
      ...deltas(`${type}.delta`, input, {}),
      { type: `${type}.done`, ...at, arguments: input },
    ]
  }
  const { text } = piece
  if (piece.type === 'reasoning') {
    const type = 'response.reasoning_summary'
    const more = { summary_index: 0 }
    const part = (text: string) => ({ ...at, ...more, part: { type: 'summary_text', text } })
    return [
      { type: `${type}_part.added`, ...part('') },
      ...deltas(`${type}_text.delta`, text, more),
      { type: `${type}_text.done`, ...at, ...more, text },
      { type: `${type}_part.done`, ...part(text) },
    ]
  }
  const isRefusal = piece.type === 'refusal'
  const type = isRefusal ? 'response.refusal' : 'response.output_text'
  const more = isRefusal ? { content_index: 0 } : { content_index: 0, logprobs: [] }
  const done = isRefusal ? { refusal: text } : { text }
  return [
    { type: 'response.content_part.added', ...at, content_index: 0, part: partOf(piece, '') },
    ...deltas(`${type}.delta`, text, more),
    { type: `${type}.done`, ...at, ...more, ...done },
    { type: 'response.content_part.done', ...at, content_index: 0, part: partOf(piece, text) },
  ]
}
