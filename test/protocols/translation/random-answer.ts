import type {
  AnswerEvent,
  AnswerPart,
  CanonicalResponse,
  Choice,
  FinishReason,
} from '../../../src/protocols/canonical/answer.ts'
import type {
  Citation,
  TextPart,
  TokenLogprob,
  Tool,
} from '../../../src/protocols/canonical/request.ts'
import type { Usage } from '../../../src/protocols/canonical/usage.ts'
import { many } from './random-request.ts'
import { randomObject, randomText } from './random-values.ts'
import type { Seeded } from './seeded.ts'

/** The tools that random answers call. */
export const calledTools: readonly Tool[] = [
  { kind: 'function', name: 'look' },
  { kind: 'custom', name: 'patch' },
]

const reasons: readonly FinishReason[] = ['stop', 'length', 'refusal', 'filter', 'pause', 'other']
const reasonsOfCalls: readonly FinishReason[] = ['tool-calls', 'tool-calls', 'length', 'filter']

/** An answer as any upstream could have given it. */
export function randomAnswer(seeded: Seeded): CanonicalResponse {
  const { once, pick, below } = seeded
  const prefix = pick(['chatcmpl-', 'resp_', 'msg_', ''])
  return {
    id: once(4) ? undefined : `${prefix}${below(1e6)}`,
    model: 'the-upstream’s',
    createdAt: once(3) ? undefined : 1_700_000_000 + below(1e6),
    choices: many(once(6) ? 2 : 1, (index) => randomChoice(seeded, index)),
    usage: once(9) ? undefined : randomUsage(seeded),
    serviceTier: once(2) ? undefined : pick(['default', 'flex', 'priority'] as const),
  }
}

function randomUsage({ below, once }: Seeded): Usage {
  const outputTokens = below(1000)
  return {
    inputTokens: below(1000),
    outputTokens,
    reasoningTokens: once(2) ? 0 : below(outputTokens + 1),
    cacheReadTokens: once(2) ? 0 : below(1000),
    cacheWriteTokens: once(2) ? 0 : below(1000),
    cacheWrite1hTokens: once(3) ? below(1000) : 0,
  }
}

function randomChoice(seeded: Seeded, index: number): Choice {
  const { once, pick, below } = seeded
  const parts = many(below(6), (at) => randomPart(seeded, `${index}_${at}`))
  const calls = parts.some(({ type }) => type === 'tool-call')
  if (once(12) && !calls) {
    parts.push({ type: 'refusal', text: randomText(seeded) })
    return { index, parts, finish: { reason: 'refusal' } }
  }
  const reason = calls ? pick(reasonsOfCalls) : pick(reasons)
  const stopSequence = reason === 'stop' && !calls && once(4) ? { stopSequence: 'END' } : {}
  return { index, parts, finish: { reason, ...stopSequence } }
}

function randomPart(seeded: Seeded, place: string): AnswerPart {
  const { once, below } = seeded
  if (once(4)) {
    const callId = `call_${place}`
    if (once(3)) {
      return { type: 'tool-call', callId, name: 'patch', kind: 'custom', input: randomText(seeded) }
    }
    const input = JSON.stringify(randomObject(seeded))
    return { type: 'tool-call', callId, name: 'look', kind: 'function', input }
  }
  if (once(3)) {
    const signature = once(3) ? undefined : `sig${below(1e6)}+/=`
    if (signature !== undefined && once(4)) {
      return { type: 'reasoning', text: '', signature, isRedacted: true }
    }
    return { type: 'reasoning', text: once(4) ? '' : randomText(seeded), signature }
  }
  return randomSaid(seeded)
}

function randomSaid(seeded: Seeded): TextPart {
  const { once, below } = seeded
  const text = randomText(seeded)
  const citations = once(6) ? many(1 + below(2), () => randomCitation(seeded, text)) : undefined
  const logprobs = once(8) ? randomLogprobs(seeded, text) : undefined
  return { type: 'text', text, citations, logprobs }
}

function randomCitation({ once, below }: Seeded, text: string): Citation {
  if (once(4)) {
    const raw = { type: 'char_location', cited_text: 'x', document_index: below(3) }
    return { type: 'document', citedText: 'x', raw }
  }
  const url = `https://news.example/${below(3)}`
  if (once(3)) return { type: 'url', url, title: 'News' }
  return { type: 'url', url, title: 'News', start: 0, end: text.length }
}

function randomLogprobs({ below }: Seeded, text: string): readonly TokenLogprob[] {
  const logprob = -1 - below(100) / 8
  return [{ token: text, logprob, top: [{ token: 'other', logprob: logprob - 1 }] }]
}

/** The same answer as it could have been streamed: in pieces, and what may run side by side does. */
export function streamOf(answer: CanonicalResponse, seeded: Seeded): readonly AnswerEvent[] {
  const { id, model, createdAt, choices, usage, serviceTier } = answer
  // What is known of the input at the beginning.
  const known =
    usage && seeded.once(3) ? { usage: { ...usage, outputTokens: 0, reasoningTokens: 0 } } : {}
  const queues = choices.map((choice) => choiceEvents(choice, seeded))
  return [
    { type: 'start', id, model, createdAt, ...known },
    ...interleaved(queues, seeded),
    ...choices.map(({ index, finish }) => ({ type: 'finish', choice: index, ...finish }) as const),
    { type: 'end', usage, serviceTier },
  ]
}

function choiceEvents({ index, parts }: Choice, seeded: Seeded): readonly AnswerEvent[] {
  const events: AnswerEvent[] = []
  let calls: (readonly AnswerEvent[])[] = []
  const flush = () => {
    // Calls begin in their order, and then go on at once.
    const rests = calls.map(([, ...rest]) => rest)
    events.push(...calls.flatMap(([first]) => first ?? []), ...interleaved(rests, seeded))
    calls = []
  }
  parts.forEach((part, at) => {
    const block = blockOf(part, index, `${index}/${at}`, seeded)
    if (part.type === 'tool-call') calls.push(block)
    else {
      flush()
      events.push(...block)
    }
  })
  flush()
  return events
}

function interleaved(
  queues: readonly (readonly AnswerEvent[])[],
  seeded: Seeded,
): readonly AnswerEvent[] {
  const left = queues.map((queue) => [...queue])
  const events: AnswerEvent[] = []
  for (;;) {
    const waiting = left.filter((queue) => queue.length > 0)
    if (waiting.length === 0) return events
    events.push(...seeded.pick(waiting).splice(0, 1 + seeded.below(2)))
  }
}

function blockOf(
  part: AnswerPart,
  choice: number,
  id: string,
  seeded: Seeded,
): readonly AnswerEvent[] {
  switch (part.type) {
    case 'text': {
      const { text, citations, logprobs } = part
      const pieces = logprobs === undefined ? piecesOf(text, seeded) : [text]
      const deltas = pieces.map(
        (piece) => ({ type: 'text-delta', id, text: piece, logprobs }) as const,
      )
      return [{ type: 'text-start', id, choice }, ...deltas, { type: 'text-end', id, citations }]
    }
    case 'reasoning': {
      const { text, signature, isRedacted } = part
      const deltas = piecesOf(text, seeded).map((piece) => {
        return { type: 'reasoning-delta', id, text: piece } as const
      })
      const end = { type: 'reasoning-end', id, signature, isRedacted } as const
      return [{ type: 'reasoning-start', id, choice }, ...deltas, end]
    }
    case 'refusal': {
      const deltas = piecesOf(part.text, seeded).map((piece) => {
        return { type: 'refusal-delta', id, text: piece } as const
      })
      return [{ type: 'refusal-start', id, choice }, ...deltas, { type: 'refusal-end', id }]
    }
    case 'tool-call': {
      const { callId, name, kind, input } = part
      const deltas = piecesOf(input, seeded).map((piece) => {
        return { type: 'tool-call-delta', id, text: piece } as const
      })
      const start = { type: 'tool-call-start', id, choice, callId, name, kind } as const
      return [start, ...deltas, { type: 'tool-call-end', id }]
    }
    case 'search':
      return [
        { type: 'search-start', id, choice },
        { type: 'search-end', id, search: part },
      ]
    case 'image':
      return [{ type: 'image', choice, image: part }]
  }
}

/** A text in up to four pieces, cut anywhere: also within a character. */
function piecesOf(text: string, { below }: Seeded): readonly string[] {
  const cuts = many(below(4), () => below(text.length + 1)).sort((a, b) => a - b)
  return [0, ...cuts].map((from, at) => text.slice(from, cuts[at])).filter((piece) => piece !== '')
}
