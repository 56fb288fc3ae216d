import type { TextPart } from '../canonical/request.ts'
import { searchText } from '../canonical/search-text.ts'
import { isJsonObject, stringIn } from '../json.ts'
import { isSearchUse, pagesIn, queryIn } from './search-blocks.ts'

/** What searches have found, as texts for other vendors, and the places of the blocks that it was in. */
export interface FoundBefore {
  readonly texts: readonly TextPart[]
  readonly places: ReadonlySet<string>
}

interface Use {
  readonly query: string | undefined
  readonly at: string
}

/** Looks for searches in the content of an assistant's message: each result comes behind its use. */
export function findSearches(content: unknown, at: string): FoundBefore {
  const texts: TextPart[] = []
  const places = new Set<string>()
  const uses = new Map<string | undefined, Use>()
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
