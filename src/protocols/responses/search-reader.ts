import type { SearchPart } from '../canonical/request.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { type Blocks, endReasoning, type ItemReader } from './item-reader.ts'

/**
 * Reads a `web_search_call`. Whether it is a search, or only opens a page that was found, comes with
 * the finished item: other actions are no searches, and are left out.
 */
export function createSearchReader(blocks: Blocks): ItemReader {
  return {
    begin() {},
    tell() {},
    cite() {},
    end(item) {
      const search = item && decodeSearchCall(item)
      if (search === undefined) return
      const id = blocks.nextId()
      endReasoning(blocks)
      blocks.push({ type: 'search-start', id, choice: 0 })
      blocks.push({ type: 'search-end', id, search })
    },
  }
}

/** The search that an item is; undefined for another action. */
export function decodeSearchCall(item: JsonObject): SearchPart | undefined {
  const action = objectIn(item, 'action')
  if (action !== undefined && (action.type ?? 'search') !== 'search') return undefined
  const queries = arrayIn(action, 'queries').filter((query) => typeof query === 'string')
  const query = stringIn(action, 'query')
  const results = arrayIn(action, 'sources').flatMap((source) => {
    const url = isJsonObject(source) ? stringIn(source, 'url') : undefined
    if (url === undefined || !isJsonObject(source)) return []
    return [{ url, title: stringIn(source, 'title') }]
  })
  return {
    type: 'search',
    queries: queries.length > 0 || query === undefined ? queries : [query],
    results,
    ...(item.status === 'failed' ? { error: 'unavailable' } : {}),
  }
}
