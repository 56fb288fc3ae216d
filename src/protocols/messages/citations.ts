import type { Citation } from '../canonical/request.ts'
import { isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { foreignContent } from './search-blocks.ts'

/** The sources that a text block names; undefined when it names none. */
export function decodeCitations(wire: unknown): readonly Citation[] | undefined {
  if (!Array.isArray(wire) || wire.length === 0) return undefined
  const citations = wire.map(decodeCitation).filter((citation) => citation !== undefined)
  return citations.length === 0 ? undefined : citations
}

/** One source. It stands behind the whole block: this protocol cuts text where sources change. */
export function decodeCitation(wire: unknown): Citation | undefined {
  if (!isJsonObject(wire)) return undefined
  const citedText = stringIn(wire, 'cited_text')
  if (wire.type !== 'web_search_result_location') {
    const title = stringIn(wire, 'document_title') ?? stringIn(wire, 'title')
    return { type: 'document', title, citedText, raw: wire }
  }
  const url = stringIn(wire, 'url')
  return url === undefined
    ? undefined
    : { type: 'url', url, title: stringIn(wire, 'title'), citedText }
}

/** A source as an answer names it; none for one that another vendor has told in its own form. */
export function encodeCitation(citation: Citation): readonly JsonObject[] {
  if (citation.type === 'document') return isOwn(citation) ? [citation.raw] : []
  const web = {
    type: 'web_search_result_location',
    cited_text: citation.citedText ?? '',
    // Only the vendor's own search can give one; SDKs want the field.
    encrypted_index: foreignContent,
    title: citation.title ?? null,
    url: citation.url,
  }
  return [web]
}

/** Places in documents, by this protocol's names. Source: the SDK's `TextCitationParam`. */
const ownKinds = new Set<unknown>([
  'char_location',
  'page_location',
  'content_block_location',
  'search_result_location',
])

const isOwn = ({ raw }: Extract<Citation, { type: 'document' }>) => ownKinds.has(raw.type)

/**
 * The sources that a request can name again: places in its documents. What was found on the web
 * would need the vendor's `encrypted_index`.
 */
export function encodeSentCitations(
  citations: readonly Citation[] | undefined,
): readonly JsonObject[] | undefined {
  const documents = citations?.flatMap((citation) =>
    citation.type === 'document' && isOwn(citation) ? [citation.raw] : [],
  )
  return documents === undefined || documents.length === 0 ? undefined : documents
}
