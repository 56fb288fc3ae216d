import type { CanonicalRequest } from '../../src/protocols/canonical/request.ts'
import type { Step } from '../agents/scripted-upstream.ts'

/** What the upstream says in each turn, and the client. */
export const answers = [
  'The first thing, said in two pieces.',
  'The second thing, said too.',
] as const
export const questions = ['Say the first thing.', 'Say the second thing.'] as const
export const call = { name: 'weather', input: '{"city":"Oslo"}', words: 'Let me look.' } as const
export const result = 'Rain, 7 degrees.'
/** What the upstream says when it fails. */
export const trouble = 'The scripted upstream is in trouble: case 4711.'

/** One way in which an upstream behaves, and what the client does. */
export interface Case {
  readonly name: string
  readonly what: string
  /** Of the client: two streamed turns, two with a call between them, or one answer that is not streamed. */
  readonly mode: 'chat' | 'call' | 'whole'
  readonly silence?: 'start' | 'middle'
  readonly fault?: 'start' | 'middle'
  /** How many requests it takes. */
  readonly requests: number
}

export const cases: readonly Case[] = [
  {
    ...{ name: 'prompt', mode: 'chat', requests: 2 },
    what: 'never silent: what the others are held against',
  },
  {
    ...{ name: 'first', mode: 'chat', silence: 'start', requests: 2 },
    what: 'silent before the first byte of a stream',
  },
  {
    ...{ name: 'text', mode: 'chat', silence: 'middle', requests: 2 },
    what: 'silent after the first words of a text',
  },
  {
    ...{ name: 'call', mode: 'call', silence: 'middle', requests: 2 },
    what: "silent in the middle of a call's arguments",
  },
  {
    ...{ name: 'whole', mode: 'whole', silence: 'start', requests: 1 },
    what: 'silent before an answer that is not streamed',
  },
  {
    ...{ name: 'late', mode: 'chat', silence: 'start', fault: 'start', requests: 1 },
    what: 'silent, and then a refusal',
  },
  {
    ...{ name: 'broken', mode: 'chat', fault: 'middle', requests: 1 },
    what: 'an error in the middle of a stream',
  },
]

/** What the upstream does with one request of a case: it fails, or falls silent, in the first turn only. */
export function stepOf({ mode, silence, fault }: Case, turn: number, silenceMs: number): Step {
  const said: Step =
    mode === 'call' && turn === 0
      ? { tool: call.name, input: call.input, words: call.words, isPlain: true }
      : { text: answers[turn] ?? 'No more.', isPlain: true }
  if (turn > 0) return said
  return {
    ...said,
    ...(silence && { silence: { ms: silenceMs, at: silence } }),
    ...(fault && { fault: { message: trouble, at: fault } }),
  }
}

/** What of the history is missing in a second turn, or has come to it. */
export function historyFault({ mode }: Case, { turns }: CanonicalRequest): string | undefined {
  const told = turns.flatMap(({ role, parts }) =>
    parts.map((part) => {
      if (part.type === 'text') return `${role}: ${part.text}`
      if (part.type === 'tool-call') return `${role} calls ${part.name} ${canonical(part.input)}`
      if (part.type === 'tool-result') return `${role} gives ${JSON.stringify(part.parts)}`
      return `${role}: a part of type ${part.type}`
    }),
  )
  const expected =
    mode === 'call'
      ? [
          `user: ${questions[0]}`,
          `assistant: ${call.words}`,
          `assistant calls ${call.name} ${canonical(call.input)}`,
        ]
      : [`user: ${questions[0]}`, `assistant: ${answers[0]}`, `user: ${questions[1]}`]
  const given = mode === 'call' ? told.slice(0, -1) : told
  const last = told.at(-1) ?? ''
  const hasResult = mode !== 'call' || (last.startsWith('user gives') && last.includes(result))
  // Chats of Gemini's clients keep a text in the pieces that it came in.
  return joined(given) === joined(expected) && hasResult
    ? undefined
    : `history ${JSON.stringify(told)}`
}

function canonical(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input))
  } catch {
    return input
  }
}

/** Lines as one text, pieces of a text put together. */
function joined(lines: readonly string[]): string {
  let text = ''
  let role = ''
  for (const line of lines) {
    const [, speaker = '', words = line] = /^(\w+): (.*)$/s.exec(line) ?? []
    text += speaker !== '' && speaker === role ? words : `\n${line}`
    role = speaker
  }
  return text
}
