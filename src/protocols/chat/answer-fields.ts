import type { FinishReason, StartEvent } from '../canonical/answer.ts'
import type { EncodeContext } from '../canonical/codec.ts'
import type { Citation, ServiceTier, TokenLogprob } from '../canonical/request.ts'
import { arrayIn, countIn, isJsonObject, meanings, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The head of an answer; Azure and Snowflake send empty texts and 0 for missing values. */
export function decodeHead(answer: JsonObject) {
  return {
    id: stringIn(answer, 'id'),
    model: stringIn(answer, 'model'),
    createdAt: countIn(answer, 'created') || undefined,
  }
}

/** The head of an answer for a client; a plausible upstream id is kept. */
export function encodeHead(
  { id, createdAt }: Pick<StartEvent, 'id' | 'createdAt'>,
  object: string,
  context: EncodeContext,
): JsonObject {
  return {
    id: id?.startsWith('chatcmpl-') ? id : `chatcmpl-${context.requestId}`,
    object,
    created: createdAt ?? context.createdAt,
    model: context.model,
  }
}

/** The usage report in a chunk or answer. Groq's streams nest it in another object. */
export function usageIn(answer: JsonObject): unknown {
  return answer.usage ?? objectIn(answer, 'x_groq')?.usage
}

/** The service tier of an answer, if all protocols know it. */
export function decodeTier(answer: JsonObject): ServiceTier | undefined {
  return tiers.find((tier) => tier === answer.service_tier)
}

const tiers = ['auto', 'default', 'flex', 'priority'] as const

/** Finish reasons of this protocol's vendors, in lower case. */
const reasons = meanings<FinishReason>({
  stop: 'stop eos end_turn stop_sequence',
  length: 'length model_length max_tokens',
  'tool-calls': 'tool_calls function_call tool_use',
  filter: 'content_filter safety sensitive',
  refusal: 'refusal',
  failed: 'error network_error insufficient_system_resource',
})

interface AnswerTraits {
  readonly hasCalls: boolean
  readonly hasRefusal: boolean
}

/** Why an answer ended. Some vendors omit the reason, or send `stop` with calls: the content decides. */
export function decodeFinish(reason: string | undefined, traits: AnswerTraits): FinishReason {
  const known = reason === undefined ? 'stop' : (reasons.get(reason.toLowerCase()) ?? 'other')
  if (traits.hasCalls && (known === 'stop' || known === 'other')) return 'tool-calls'
  return traits.hasRefusal && known === 'stop' ? 'refusal' : known
}

/** The `finish_reason` of an answer. A refusal in words is a regular end. */
export function encodeFinish(reason: FinishReason, traits: AnswerTraits): string {
  if (reason === 'refusal') return traits.hasRefusal ? 'stop' : 'content_filter'
  return finishWords[reason] ?? (traits.hasCalls ? 'tool_calls' : 'stop')
}

const finishWords: { readonly [reason in FinishReason]?: string } = {
  length: 'length',
  'tool-calls': 'tool_calls',
  filter: 'content_filter',
  failed: 'error',
}

/** The addresses that `annotations` cite. OpenRouter always sends 0 to 0, which is no place in the text. */
export function decodeAnnotations(message: JsonObject): readonly Citation[] {
  return arrayIn(message, 'annotations').flatMap((annotation): readonly Citation[] => {
    if (!isJsonObject(annotation) || annotation.type !== 'url_citation') return []
    const wire = objectIn(annotation, 'url_citation') ?? annotation
    const url = stringIn(wire, 'url')
    if (url === undefined) return []
    const end = countIn(wire, 'end_index') || undefined
    const start = end === undefined ? undefined : countIn(wire, 'start_index')
    const [title, citedText] = [stringIn(wire, 'title'), stringIn(wire, 'content')]
    return [{ type: 'url', url, title, start, end, citedText }]
  })
}

/** The sources beside an answer whose text refers to them as [1], [2] (Perplexity). */
export function decodeSources(answer: JsonObject): readonly Citation[] {
  return arrayIn(answer, 'citations').flatMap((url): readonly Citation[] =>
    typeof url === 'string' && url !== '' ? [{ type: 'url', url }] : [],
  )
}

/** Citations with places relative to the beginning of the text, not of their part. */
export function shiftCitations(
  citations: readonly Citation[] | undefined,
  offset: number,
): readonly Citation[] {
  const list = citations ?? []
  if (offset === 0) return list
  return list.map((citation) => {
    if (citation.type !== 'url' || citation.end === undefined) return citation
    const end = citation.end + offset
    // A place before its part of the text is dropped.
    if (end <= 0) return { ...citation, start: undefined, end: undefined }
    return { ...citation, start: Math.max(0, (citation.start ?? 0) + offset), end }
  })
}

/** Citations as annotations; chat has only those of addresses. */
export function encodeAnnotations(citations: readonly Citation[]): readonly JsonObject[] {
  return citations.flatMap((citation): readonly JsonObject[] => {
    if (citation.type !== 'url') return []
    const { url, title, start, end, citedText } = citation
    const url_citation = { url, title: title ?? '', start_index: start ?? 0, end_index: end ?? 0 }
    const content = citedText === undefined ? {} : { content: citedText }
    return [{ type: 'url_citation', url_citation: { ...url_citation, ...content } }]
  })
}

/** The tokens of `logprobs.content`; undefined without any. */
export function decodeLogprobs(list: readonly unknown[]): readonly TokenLogprob[] | undefined {
  const tokens = list.flatMap((entry): readonly TokenLogprob[] => {
    const token = decodeToken(entry)
    if (token === undefined || !isJsonObject(entry)) return []
    const top = arrayIn(entry, 'top_logprobs').map(decodeToken)
    return [{ ...token, top: top.filter((other) => other !== undefined) }]
  })
  return tokens.length === 0 ? undefined : tokens
}

function decodeToken(entry: unknown): Omit<TokenLogprob, 'top'> | undefined {
  if (!isJsonObject(entry)) return undefined
  const { token, logprob, bytes } = entry
  if (typeof token !== 'string' || typeof logprob !== 'number') return undefined
  if (!Array.isArray(bytes)) return { token, logprob }
  return { token, logprob, bytes: bytes.filter((byte: unknown) => typeof byte === 'number') }
}

/** Token probabilities as `logprobs`; null without any. */
export function encodeLogprobs(tokens: readonly TokenLogprob[] | undefined): unknown {
  if (tokens === undefined || tokens.length === 0) return null
  const content = tokens.map(({ top, ...token }) => ({
    ...encodeToken(token),
    top_logprobs: top.map(encodeToken),
  }))
  return { content, refusal: null }
}

const encodeToken = ({ token, logprob, bytes }: Omit<TokenLogprob, 'top'>) => ({
  token,
  logprob,
  bytes: bytes ?? null,
})
