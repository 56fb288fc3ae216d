import type { JsonObject } from '../../../../src/protocols/protocol.ts'
import type { Reply } from '../conversation.ts'
import { type Frames, words } from './vendor.ts'

const usage = {
  prompt_tokens: 32,
  completion_tokens: 9,
  total_tokens: 41,
  prompt_tokens_details: { cached_tokens: 12, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 4,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

const head = (object: string) => ({
  id: 'chatcmpl-Dyln9x0m6SZi5esRfU7vKKMeY9xzP',
  object,
  created: 1_783_375_763,
  model: 'gpt-5.1-2026-05-01',
  service_tier: 'default',
  system_fingerprint: 'fp_f38e8ce955',
})

/** How the vendor names the ends: a stop sequence and a refusal are ends like others. */
const ends = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  calls: 'tool_calls',
  refusal: 'stop',
} as const

const of = ({ pieces }: Reply, type: 'text' | 'reasoning' | 'refusal') =>
  pieces.flatMap((piece) => (piece.type === type ? [piece.text] : [])).join('')

const callsOf = ({ pieces }: Reply) =>
  pieces.flatMap((piece) => (piece.type === 'call' ? [piece] : []))

/** A completion. */
export function whole(reply: Reply): JsonObject {
  const calls = callsOf(reply).map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const reasoning = of(reply, 'reasoning')
  const message = {
    role: 'assistant',
    content: of(reply, 'text') || null,
    refusal: of(reply, 'refusal') || null,
    annotations: [],
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: ends[reply.finish] }
  return { ...head('chat.completion'), choices: [choice], usage }
}

/** The chunks of one. */
export function stream(reply: Reply): Frames {
  const frame = (choices: readonly JsonObject[], more: JsonObject = { usage: null }) =>
    `data: ${JSON.stringify({ ...head('chat.completion.chunk'), choices, ...more, obfuscation: 'x' })}\n\n`
  const delta = (delta: JsonObject, finish_reason: string | null = null) =>
    frame([{ index: 0, delta, logprobs: null, finish_reason }])
  const calls = callsOf(reply).flatMap(({ id, name, input }, index) => [
    delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...words(JSON.stringify(input)).map((piece) =>
      delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ])
  const frames = [
    delta({ role: 'assistant', content: calls.length > 0 ? null : '', refusal: null }),
    ...words(of(reply, 'reasoning')).map((piece) => delta({ reasoning_content: piece })),
    ...words(of(reply, 'text')).map((piece) => delta({ content: piece })),
    ...words(of(reply, 'refusal')).map((piece) => delta({ refusal: piece })),
    ...calls,
    delta({}, ends[reply.finish]),
    frame([], { usage }),
    'data: [DONE]\n\n',
  ]
  return { frames, tail: 3 }
}
