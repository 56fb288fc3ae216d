import type { Citation, TokenLogprob } from '../canonical/request.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * The addresses that `annotations` cite. Some vendors have the fields of `url_citation` in the
 * annotation itself. OpenRouter always says 0 to 0, which is no place in the text.
 */
export function decodeAnnotations(message: JsonObject): readonly Citation[] {
  return arrayIn(message, 'annotations').flatMap((annotation): readonly Citation[] => {
    if (!isJsonObject(annotation) || annotation.type !== 'url_citation') return []
    const wire = objectIn(annotation, 'url_citation') ?? annotation
    const url = stringIn(wire, 'url')
    if (url === undefined) return []
    const end = countIn(wire, 'end_index') || undefined
    return [
      {
        type: 'url',
        url,
        title: stringIn(wire, 'title'),
        start: end === undefined ? undefined : countIn(wire, 'start_index'),
        end,
        citedText: stringIn(wire, 'content'),
      },
    ]
  })
}

/** The addresses beside an answer whose text refers to them as [1], [2] (Perplexity). */
export function decodeSources(answer: JsonObject): readonly Citation[] {
  return arrayIn(answer, 'citations').flatMap((url): readonly Citation[] =>
    typeof url === 'string' && url !== '' ? [{ type: 'url', url }] : [],
  )
}

/** Citations with their places counted from the beginning of the text, not of their part of it. */
export function shiftCitations(
  citations: readonly Citation[] | undefined,
  offset: number,
): readonly Citation[] {
  const list = citations ?? []
  if (offset === 0) return list
  return list.map((citation) => {
    if (citation.type !== 'url' || citation.end === undefined) return citation
    const end = citation.end + offset
    // What lies before its part of the text has no place in it.
    if (end <= 0) return { ...citation, start: undefined, end: undefined }
    return { ...citation, start: Math.max(0, (citation.start ?? 0) + offset), end }
  })
}

/** Citations as annotations; chat has them of addresses only. */
export function encodeAnnotations(citations: readonly Citation[]): readonly JsonObject[] {
  return citations.flatMap((citation): readonly JsonObject[] => {
    if (citation.type !== 'url') return []
    const { url, title, start, end, citedText } = citation
    const url_citation = { url, title: title ?? '', start_index: start ?? 0, end_index: end ?? 0 }
    const content = citedText === undefined ? {} : { content: citedText }
    return [{ type: 'url_citation', url_citation: { ...url_citation, ...content } }]
  })
}

/** The tokens of `logprobs.content`; undefined when there are none. */
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

/** Probabilities of tokens as `logprobs`; null without any. */
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
