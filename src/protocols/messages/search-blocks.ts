import type { SearchPart, SearchResult } from '../canonical/request.ts'
import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { searchName } from './search.ts'

/** How the ids of searches begin that another vendor has run: this one's would not know them. */
export const foreignSearchId = 'srvtoolu_tgs1_'

/** The id of an answer's next search. */
export const foreignSearchIdOf = (requestId: string, index: number): string =>
  `${foreignSearchId}${requestId.replace(/\W/g, '_')}_${index}`

/**
 * What stands where the vendor has its encrypted content: clients send it back unread. It is marked
 * like a seal, so that the vendor itself never gets it.
 */
export const foreignContent = 'tgs1.search'

/**
 * A search as blocks: for each query a use of the tool and its result, the last of which holds what
 * was found. `nextId` makes an id that is unique within the answer.
 */
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

/** How many searches an answer tells of in its usage; undefined where there were none. */
export const searchUsage = (searches: number): JsonObject | undefined =>
  searches === 0 ? undefined : { web_search_requests: searches, web_fetch_requests: 0 }

/** So many searches a part is, by the vendor's count: those that failed are none. */
export const searchCount = ({ queries, error }: SearchPart): number =>
  error === undefined ? Math.max(1, queries.length) : 0

/** What a result block says of a search for `query`. */
export function decodeSearchResult(block: JsonObject, query: string | undefined): SearchPart {
  const { content } = block
  const error = isJsonObject(content)
    ? (stringIn(content, 'error_code') ?? 'unavailable')
    : undefined
  return {
    type: 'search',
    queries: query === undefined ? [] : [query],
    results: pagesIn(block),
    ...(error === undefined ? {} : { error }),
  }
}

/** The pages that a result block names. */
export function pagesIn(block: JsonObject): readonly SearchResult[] {
  return arrayIn(block, 'content').flatMap((page): SearchResult[] => {
    const url = isJsonObject(page) ? stringIn(page, 'url') : undefined
    if (!isJsonObject(page) || url === undefined) return []
    return [{ url, title: stringIn(page, 'title'), age: stringIn(page, 'page_age') }]
  })
}

/** Whether a block is a use of the search. */
export const isSearchUse = (block: JsonObject | undefined): boolean =>
  block?.type === 'server_tool_use' && block.name === searchName

/** The query in a use's input, which may have come as JSON text. */
export const queryIn = (input: unknown): string | undefined =>
  stringIn(isJsonObject(input) ? input : undefined, 'query')
