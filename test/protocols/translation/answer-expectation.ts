import type {
  AnswerPart,
  CanonicalResponse,
  Choice,
  Finish,
  FinishReason,
} from '../../../src/protocols/canonical/answer.ts'
import type { EncodeContext } from '../../../src/protocols/canonical/codec.ts'
import type { Citation } from '../../../src/protocols/canonical/request.ts'
import { emptyUsage, type Usage } from '../../../src/protocols/canonical/usage.ts'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { chatParts, type Form, geminiParts, messagesParts, responsesParts } from './answer-parts.ts'

/**
 * An answer as a client of a protocol reads it: equal, but for what the table of answers says is
 * adapted or dropped. Written from the table, apart from the codecs.
 */
export function expectedAnswer(
  answer: CanonicalResponse,
  client: ProtocolName,
  context: EncodeContext,
  form: Form,
): CanonicalResponse {
  const { id = '', createdAt = context.createdAt, choices, serviceTier } = answer
  // T18: where the upstream tells no usage, it is estimated.
  const estimated: Usage = { ...emptyUsage, inputTokens: context.estimatedInputTokens }
  const usage = answer.usage ?? estimated
  const first = choices.filter(({ index }) => index === 0)
  const model = context.model
  switch (client) {
    case 'chat':
      return {
        id: withPrefix('chatcmpl-', id, context),
        model,
        createdAt,
        choices: choices.map((choice) => changed(choice, chatParts(choice.parts), chatFinish)),
        usage: withoutLives(usage),
        serviceTier,
      }
    case 'responses':
      return {
        id: `resp_${context.requestId}`,
        model,
        createdAt,
        choices: first.map((choice) =>
          changed(choice, responsesParts(choice.parts), responsesFinish),
        ),
        usage: withoutLives(usage),
        serviceTier: serviceTier ?? 'default',
      }
    case 'messages':
      return {
        id: withPrefix('msg_', id, context),
        model,
        choices: first.map((choice) =>
          changed(choice, messagesParts(choice.parts, form), messagesFinish),
        ),
        usage,
        serviceTier:
          serviceTier === 'priority' || serviceTier === 'default' ? serviceTier : undefined,
      }
    case 'gemini':
      return {
        id: id || context.requestId,
        model,
        choices: choices.map((choice) =>
          changed(choice, geminiParts(choice.parts, form), geminiFinish),
        ),
        // Row "cache writes": they are input like any other.
        usage: withoutWrites(usage),
      }
  }
}

/** T19: the upstream's id, where it is one of the client's protocol; a response is asked for by its id here. */
const withPrefix = (prefix: string, id: string, { requestId }: EncodeContext) =>
  id.startsWith(prefix) ? id : `${prefix}${requestId}`

/** Only messages tells how long a cache lives. */
const withoutLives = (usage: Usage): Usage => ({
  ...usage,
  cacheWriteTokens: usage.cacheWriteTokens + usage.cacheWrite1hTokens,
  cacheWrite1hTokens: 0,
})

const withoutWrites = ({ cacheWriteTokens, cacheWrite1hTokens, ...usage }: Usage): Usage => ({
  ...usage,
  inputTokens: usage.inputTokens + cacheWriteTokens + cacheWrite1hTokens,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
})

type EndOf = (
  finish: Finish,
  holds: { readonly calls: boolean; readonly refusal: boolean },
) => Finish

function changed(choice: Choice, parts: readonly AnswerPart[], endOf: EndOf): Choice {
  const has = (type: AnswerPart['type']) => choice.parts.some((part) => part.type === type)
  const finish = endOf(choice.finish, { calls: has('tool-call'), refusal: has('refusal') })
  return { index: choice.index, parts, finish }
}

/** Row "Reason of the end", as far as a protocol has a word for it. */
const chatFinish: EndOf = ({ reason }, { calls, refusal }) => {
  if (reason === 'refusal') return { reason: refusal ? 'refusal' : 'filter' }
  const isPlain = reason === 'pause' || reason === 'other'
  return { reason: isPlain ? (calls ? 'tool-calls' : 'stop') : reason }
}
const responsesFinish: EndOf = ({ reason }, { calls, refusal }) => {
  const told: { readonly [reason in FinishReason]?: FinishReason } = {
    pause: 'length',
    refusal: refusal ? 'refusal' : 'filter',
    other: calls ? 'tool-calls' : 'stop',
  }
  return { reason: told[reason] ?? reason }
}
const messagesFinish: EndOf = ({ reason, stopSequence }, { calls, refusal }) => {
  const other = calls ? 'tool-calls' : refusal ? 'refusal' : 'stop'
  const told: { readonly [reason in FinishReason]?: FinishReason } = {
    failed: 'length',
    filter: 'refusal',
    stop: other,
    other,
  }
  return { reason: told[reason] ?? reason, stopSequence }
}
const geminiFinish: EndOf = ({ reason }, { calls }) => {
  const told: { readonly [reason in FinishReason]?: FinishReason } = {
    pause: 'other',
    refusal: 'filter',
    stop: calls ? 'tool-calls' : 'stop',
  }
  return { reason: told[reason] ?? reason }
}

/**
 * An answer as its client shows it, to be compared: without what no client can tell, and which of its
 * parts came first where the protocol has places for them instead (chat).
 */
export function shown(answer: CanonicalResponse, client: ProtocolName): unknown {
  const choices = answer.choices.map((choice) => {
    if (client === 'chat') return { ...choice, parts: inPlaces(choice.parts) }
    return client === 'gemini' ? withSources(choice) : choice
  })
  return JSON.parse(
    JSON.stringify({ ...answer, choices }, (key, value: unknown) => {
      // Bytes of a token are told by some only; ids of items are the gateway's.
      if (key === 'bytes') return undefined
      if (key === 'id' && typeof value === 'string' && value.startsWith('rs_')) return 'rs_'
      return key === 'citations' && Array.isArray(value) ? sources(value, client) : value
    }),
  )
}

/** A message has one text, one reasoning, one refusal. */
function inPlaces(parts: readonly AnswerPart[]) {
  const textOf = (type: AnswerPart['type']) =>
    parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('')
  return {
    text: textOf('text'),
    reasoning: textOf('reasoning').trim() === '' ? '' : textOf('reasoning'),
    refusal: textOf('refusal'),
    signed: parts.flatMap((part) =>
      part.type === 'reasoning' && part.signature !== undefined ? [[part.signature, part.id]] : [],
    ),
    citations: placedCitations(parts),
    logprobs: logprobsOf(parts),
    rest: parts.filter(({ type }) => type === 'image' || type === 'tool-call'),
  }
}

/** A candidate tells its sources, and the probabilities of all of its text, beside its content. */
function withSources({ parts, ...choice }: Choice) {
  const texts = parts.map((part) => {
    return part.type === 'text' ? { type: part.type, text: part.text } : part
  })
  return { ...choice, parts: texts, citations: citationsOf(parts), logprobs: logprobsOf(parts) }
}

/** With places in all of the text. */
function placedCitations(parts: readonly AnswerPart[]): readonly Citation[] {
  let offset = 0
  return parts.flatMap((part) => {
    if (part.type !== 'text') return []
    const from = offset
    offset += part.text.length
    return (part.citations ?? []).map((citation) => {
      if (citation.type !== 'url' || citation.end === undefined) return citation
      return { ...citation, start: from + (citation.start ?? 0), end: from + citation.end }
    })
  })
}

const citationsOf = (parts: readonly AnswerPart[]) =>
  parts.flatMap((part) => (part.type === 'text' ? (part.citations ?? []) : []))
const logprobsOf = (parts: readonly AnswerPart[]) =>
  parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []))

/** Each once; gemini's clients are told addresses, and places only where the upstream told them. */
function sources(list: readonly unknown[], client: ProtocolName): readonly unknown[] {
  const all = list.map((one) =>
    JSON.stringify(client === 'gemini' ? (one as { url?: string }).url : one),
  )
  return [...new Set(all)].sort()
}
