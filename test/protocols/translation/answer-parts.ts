import type { AnswerPart } from '../../../src/protocols/canonical/answer.ts'
import type {
  Citation,
  ReasoningPart,
  SearchPart,
  TextPart,
  TokenLogprob,
} from '../../../src/protocols/canonical/request.ts'
import { asObject } from './turn-tools.ts'

/** How an answer came to its client. */
export type Form = 'whole' | 'stream'

const textsOf = (parts: readonly AnswerPart[], type: 'text' | 'reasoning' | 'refusal') =>
  parts.flatMap((part) => (part.type === type && part.text !== '' ? [part.text] : []))

/** A message has one text, one reasoning, one refusal; signatures are beside the reasoning. */
export function chatParts(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  const signed = parts.flatMap((part): readonly ReasoningPart[] => {
    if (part.type !== 'reasoning' || part.signature === undefined) return []
    return [{ type: 'reasoning', text: '', signature: part.signature, id: part.id }]
  })
  const thoughts = textsOf(parts, 'reasoning').join('\n\n')
  const refusal = textsOf(parts, 'refusal').join('')
  return [
    ...signed,
    ...(thoughts.trim() === '' ? [] : [{ type: 'reasoning', text: thoughts } as const]),
    ...oneText(parts),
    ...(refusal === '' ? [] : [{ type: 'refusal', text: refusal } as const]),
    ...parts.filter(({ type }) => type === 'image'),
    ...parts.filter(({ type }) => type === 'tool-call'),
  ]
}

function oneText(parts: readonly AnswerPart[]): readonly TextPart[] {
  let text = ''
  const citations: Citation[] = []
  const logprobs: TokenLogprob[] = []
  for (const part of parts) {
    if (part.type !== 'text') continue
    for (const citation of part.citations ?? []) {
      // Row "Citations of documents": dropped.
      if (citation.type !== 'url') continue
      const { start = 0, end, ...source } = citation
      const isPlaced = end !== undefined && end > 0
      citations.push(
        isPlaced ? { ...source, start: text.length + start, end: text.length + end } : source,
      )
    }
    logprobs.push(...(part.logprobs ?? []))
    text += part.text
  }
  return text === '' ? [] : [{ type: 'text', text, ...filled(citations, logprobs) }]
}

const filled = (citations: readonly Citation[], logprobs: readonly TokenLogprob[]) => ({
  ...(citations.length > 0 ? { citations } : {}),
  ...(logprobs.length > 0 ? { logprobs } : {}),
})

const isSaid = (part: AnswerPart) => {
  if (part.type === 'reasoning') return part.text !== '' || part.signature !== undefined
  return !('text' in part) || part.text !== ''
}

/** Row "Images": dropped. Items have ids of the gateway's own. */
export function responsesParts(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  return parts.filter(isSaid).flatMap((part): readonly AnswerPart[] => {
    switch (part.type) {
      case 'image':
        return []
      case 'search':
        // Row "Web searches": pages are told to those who ask for them.
        return [{ ...part, results: [], error: part.error && 'unavailable' }]
      case 'reasoning':
        return [{ type: 'reasoning', text: part.text, signature: part.signature, id: 'rs_' }]
      case 'text': {
        const { text } = part
        const citations = (part.citations ?? []).flatMap((citation): readonly Citation[] => {
          if (citation.type === 'document') return isFile(citation) ? [citation] : []
          const { url, title, start = 0, end = text.length } = citation
          return [{ type: 'url', url, title, start, end }]
        })
        return [{ type: 'text', text, ...filled(citations, part.logprobs ?? []) }]
      }
      default:
        return [part]
    }
  })
}

/** Row "Citations of documents": dropped, but for files of this protocol's own vendor. */
const isFile = ({ raw }: Extract<Citation, { type: 'document' }>) =>
  raw.type === 'file_citation' || raw.type === 'container_file_citation' || raw.type === 'file_path'

/** Row "Citations of documents": dropped, but for places in them in this protocol's own form. */
const isPlace = ({ raw }: Extract<Citation, { type: 'document' }>) =>
  `${raw.type}`.endsWith('_location')

/** Elsewhere all of them are. */
const urlsOf = ({ citations }: TextPart) =>
  (citations ?? []).filter((citation) => citation.type === 'url')

/** Rows "Probabilities" and "Images": dropped. Row "Refusals": as text. */
export function messagesParts(parts: readonly AnswerPart[], form: Form): readonly AnswerPart[] {
  return parts.flatMap((part): readonly AnswerPart[] => {
    switch (part.type) {
      case 'image':
        return []
      case 'reasoning': {
        const { text, signature, isRedacted } = part
        return isSaid(part) ? [{ type: 'reasoning', text, signature, isRedacted }] : []
      }
      case 'refusal':
        return part.text === '' ? [] : [{ type: 'text', text: part.text }]
      case 'text': {
        // A source stands behind all of its text: its place is not told.
        const citations = (part.citations ?? []).flatMap((citation): readonly Citation[] => {
          if (citation.type === 'document') return isPlace(citation) ? [citation] : []
          const { url, title, citedText } = citation
          return [{ type: 'url', url, title, citedText }]
        })
        const isEmpty = part.text === '' && citations.length === 0
        return isEmpty ? [] : [{ type: 'text', text: part.text, ...filled(citations, []) }]
      }
      case 'tool-call': {
        const isObject = form === 'whole' && part.kind === 'function'
        const input = isObject ? asObject(part.input) : part.input
        return [{ ...part, input: part.kind === 'function' && input === '' ? '{}' : input }]
      }
      case 'search':
        return eachQuery(part)
    }
    return []
  })
}

/** Row "Web searches": each query is a search here; pages have titles, and are told with the last. */
function eachQuery({ queries, results, error }: SearchPart): readonly SearchPart[] {
  const titled = results.map(({ url, title = url, age }) => ({ url, title, age }))
  const asked = queries.length === 0 ? [undefined] : queries
  return asked.map((query, index) => ({
    type: 'search',
    queries: query === undefined ? [] : [query],
    results: index === asked.length - 1 && error === undefined ? titled : [],
    ...(error === undefined ? {} : { error }),
  }))
}

/** Row "Web searches": one for the whole answer, with the pages that it names, or else all. */
function oneSearch(
  parts: readonly AnswerPart[],
  named: readonly Citation[],
): readonly SearchPart[] {
  const searches = parts.filter((part) => part.type === 'search')
  const queries = searches.flatMap((search) => search.queries)
  if (queries.length === 0) return []
  const found = named.length > 0 ? named : searches.flatMap(({ results }) => results)
  const pages = new Map<string, string | undefined>()
  for (const page of found) {
    if ('url' in page && !pages.has(page.url)) pages.set(page.url, page.title)
  }
  return [{ type: 'search', queries, results: [...pages].map(([url, title]) => ({ url, title })) }]
}

/** Row "Signed or encrypted reasoning": on the next call, which clients send back, or at the end. */
export function geminiParts(parts: readonly AnswerPart[], form: Form): readonly AnswerPart[] {
  const told: AnswerPart[] = []
  let waiting: string[] = []
  const carrier = (callId?: string): readonly ReasoningPart[] => {
    if (waiting.length === 0) return []
    const signature = Buffer.from(`tollgate:${waiting.join('~')}`).toString('base64')
    waiting = []
    return [{ type: 'reasoning', text: '', signature, callId }]
  }
  for (const part of parts) {
    if (part.type === 'reasoning' && part.signature !== undefined) waiting.push(part.signature)
    if (part.type === 'tool-call') {
      const input = part.kind === 'function' ? asObject(part.input) : part.input
      told.push(...carrier(part.callId), { ...part, input })
    } else if (part.type === 'image') told.push(part)
    else if (part.type === 'search') continue
    else if (part.text !== '') addText(told, part)
  }
  // Of a stream sources are told at its end, with the last part: a reader takes them for the text that
  // is open then, before that part.
  const isOpen = form === 'whole' || isTextOpen(told)
  const sourced = told.map((part) => {
    return part.type === 'text' && !isOpen ? { ...part, citations: undefined } : part
  })
  const named = parts.flatMap((part) => (part.type === 'text' ? urlsOf(part) : []))
  const searched = oneSearch(parts, named)
  const last = sourced.findLastIndex(({ type }) => type === 'text')
  const text = sourced[last]
  // Pages that no text names are told with the text that is open then.
  if (text?.type === 'text' && named.length === 0 && isOpen) {
    const found = parts.flatMap((part) => (part.type === 'search' ? part.results : []))
    const citations = found.map(({ url, title }): Citation => ({ type: 'url', url, title }))
    sourced[last] = { ...text, ...filled(citations, text.logprobs ?? []) }
  }
  return [...sourced, ...carrier(), ...searched]
}

function isTextOpen(told: readonly AnswerPart[]): boolean {
  const said = told.filter((part) => part.type !== 'reasoning' || part.callId === undefined)
  const [before, last] = said.slice(-2).map(({ type }) => type)
  return (last ?? before) === 'text' || (last !== 'reasoning' && before === 'text')
}

/** Row "Refusals": as text. Neighbours of one kind are one: this protocol tells no borders. */
function addText(told: AnswerPart[], part: Extract<AnswerPart, { text: string }>) {
  const last = told.at(-1)
  if (part.type === 'reasoning') {
    const isMore = last?.type === 'reasoning' && last.signature === undefined
    if (isMore) told[told.length - 1] = { ...last, text: last.text + part.text }
    else told.push({ type: 'reasoning', text: part.text })
    return
  }
  const before = last?.type === 'text' ? last : undefined
  const more = part.type === 'text' ? part : undefined
  const citations = [...(before?.citations ?? []), ...(more ? urlsOf(more) : [])]
  const logprobs = [...(before?.logprobs ?? []), ...(more?.logprobs ?? [])]
  const text = (before?.text ?? '') + part.text
  if (before !== undefined) told.pop()
  told.push({ type: 'text', text, ...filled(citations, logprobs) })
}
