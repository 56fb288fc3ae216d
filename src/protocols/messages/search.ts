import type {
  CanonicalRequest,
  Citation,
  SearchPart,
  SearchResult,
  TextPart,
  WebSearch,
} from '../canonical/request.ts'
import { decodeLocation, searchText, textsIn } from '../canonical/tools.ts'
import { arrayIn, countIn, defined, isJsonObject, objectIn, stringIn, wordSet } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The name of the vendor's tool in calls and choices. */
export const searchName = 'web_search'

/** Whether a tool is the vendor's search, of any version. */
export const isSearch = (tool: unknown): tool is JsonObject =>
  isJsonObject(tool) && stringIn(tool, 'type')?.startsWith('web_search_') === true

const known = wordSet(
  'type name max_uses allowed_domains blocked_domains user_location cache_control',
)

/** The first search among a request's tools, of any version. */
export function decodeSearch(body: JsonObject): WebSearch | undefined {
  const tools = arrayIn(body, 'tools')
  const index = tools.findIndex(isSearch)
  const tool = tools[index]
  if (!isSearch(tool)) return undefined
  const at = `tools[${index}]`
  return {
    places: [at],
    others: Object.keys(tool).flatMap((name) =>
      known.has(name) || (tool[name] ?? undefined) === undefined ? [] : [`${at}.${name}`],
    ),
    allowedDomains: textsIn(tool, 'allowed_domains'),
    blockedDomains: textsIn(tool, 'blocked_domains'),
    location: decodeLocation(objectIn(tool, 'user_location')),
    maxUses: countIn(tool, 'max_uses'),
  }
}

/** The vendor accepts one domain list, and unique tool names. */
export const takesSearch = ({ webSearch, tools }: CanonicalRequest): boolean =>
  (webSearch?.allowedDomains === undefined || webSearch.blockedDomains === undefined) &&
  tools.every(({ name }) => name !== searchName)

/** The search as the vendor's tool, in the version that all its models support. */
export function encodeSearch(search: WebSearch): JsonObject {
  const { allowedDomains, blockedDomains, location, maxUses } = search
  return defined({
    type: 'web_search_20250305',
    name: searchName,
    max_uses: maxUses,
    allowed_domains: allowedDomains,
    blocked_domains: blockedDomains,
    user_location: location && defined({ type: 'approximate', ...location }),
  })
}

/** Prefix of the ids of another vendor's searches, which this vendor does not know. */
export const foreignSearchId = 'srvtoolu_tgs1_'

/** The id of an answer's next search. */
export const foreignSearchIdOf = (requestId: string, index: number): string =>
  `${foreignSearchId}${requestId.replace(/\W/g, '_')}_${index}`

/** Replaces the vendor's encrypted content; marked like a seal, so that it never reaches the vendor. */
const foreignContent = 'tgs1.search'

/** A search as blocks: a use and a result per query; the last holds the results. */
export function encodeSearchBlocks(
  { queries, results, error }: SearchPart,
  nextId: () => string,
): readonly JsonObject[] {
  const asked = queries.length === 0 ? [''] : queries
  const found = results.map(encodeResult)
  const failed = { type: 'web_search_tool_result_error', error_code: error }
  return asked.flatMap((query, index): JsonObject[] => {
    const id = nextId()
    const content = index === asked.length - 1 ? found : []
    return [
      { type: 'server_tool_use', id, name: searchName, input: { query } },
      {
        type: 'web_search_tool_result',
        tool_use_id: id,
        content: error === undefined ? content : failed,
      },
    ]
  })
}

const encodeResult = ({ url, title, age }: SearchResult): JsonObject => ({
  type: 'web_search_result',
  title: title ?? url,
  url,
  encrypted_content: foreignContent,
  page_age: age ?? null,
})

/** The number of searches for usage; undefined without any. */
export const searchUsage = (searches: number): JsonObject | undefined =>
  searches === 0 ? undefined : { web_search_requests: searches, web_fetch_requests: 0 }

/** Searches in a part by the vendor's count: failed ones are none. */
export const searchCount = ({ queries, error }: SearchPart): number =>
  error === undefined ? Math.max(1, queries.length) : 0

/** Decodes a result block for `query`. */
export function decodeSearchResult(block: JsonObject, query: string | undefined): SearchPart {
  const { content } = block
  const error = isJsonObject(content)
    ? (stringIn(content, 'error_code') ?? 'unavailable')
    : undefined
  const queries = query === undefined ? [] : [query]
  return { type: 'search', queries, results: pagesIn(block), error }
}

/** The pages of a result block. */
export function pagesIn(block: JsonObject): readonly SearchResult[] {
  return arrayIn(block, 'content').flatMap((page): SearchResult[] => {
    const url = isJsonObject(page) ? stringIn(page, 'url') : undefined
    if (!isJsonObject(page) || url === undefined) return []
    return [{ url, title: stringIn(page, 'title'), age: stringIn(page, 'page_age') }]
  })
}

export const isSearchUse = (block: JsonObject | undefined): boolean =>
  block?.type === 'server_tool_use' && block.name === searchName

/** The query in a use's input, which may be JSON text. */
export const queryIn = (input: unknown): string | undefined =>
  stringIn(isJsonObject(input) ? input : undefined, 'query')

/** Finds searches in an assistant's content: each result follows its use. */
export function findSearches(content: unknown, at: string) {
  const texts: TextPart[] = []
  const places = new Set<string>()
  const uses = new Map<string | undefined, { query: string | undefined; at: string }>()
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  blocks.forEach((block, index) => {
    if (!isJsonObject(block)) return
    const blockAt = `${at}[${index}]`
    if (isSearchUse(block)) {
      uses.set(stringIn(block, 'id'), { query: queryIn(block.input), at: blockAt })
    }
    if (block.type !== 'web_search_tool_result') return
    const use = uses.get(stringIn(block, 'tool_use_id'))
    if (use) places.add(use.at)
    places.add(blockAt)
    const queries = use?.query === undefined ? [] : [use.query]
    const text = searchText({ queries, results: pagesIn(block) })
    texts.push({ type: 'text', at: blockAt, text })
  })
  return { texts, places }
}

/** The sources of a text block; undefined without any. */
export function decodeCitations(wire: unknown): readonly Citation[] | undefined {
  if (!Array.isArray(wire) || wire.length === 0) return undefined
  const citations = wire.map(decodeCitation).filter((citation) => citation !== undefined)
  return citations.length === 0 ? undefined : citations
}

/** One source. It supports the whole block: this protocol splits text where sources change. */
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

/** A source in an answer; none for another vendor's own form. */
export function encodeCitation(citation: Citation): readonly JsonObject[] {
  if (citation.type === 'document') return ownKinds.has(citation.raw.type) ? [citation.raw] : []
  const { url, title = null, citedText = '' } = citation
  // Only the vendor's search can issue an encrypted index; SDKs require the field.
  const own = { type: 'web_search_result_location', encrypted_index: foreignContent }
  return [{ ...own, cited_text: citedText, title, url }]
}

/** Places in documents, by this protocol's names. Source: the SDK's `TextCitationParam`. */
const ownKinds = wordSet<unknown>(
  'char_location page_location content_block_location search_result_location',
)

/** The sources that a request can repeat: places in its documents. */
export function encodeSentCitations(citations: readonly Citation[] | undefined) {
  const documents = (citations ?? [])
    .filter(({ type }) => type === 'document')
    .flatMap(encodeCitation)
  return documents.length === 0 ? undefined : documents
}
