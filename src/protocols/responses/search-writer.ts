import type { SearchPart } from '../canonical/request.ts'
import { arrayIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import type { WriteEvent } from './event-writer.ts'
import type { ItemPlace, ItemWriter } from './item-writer.ts'
import { sourcesIncluded } from './search.ts'

/** Writes a search that the vendor runs. Its pages are told only to those who ask for them. */
export function createSearchWriter(
  place: ItemPlace,
  emit: WriteEvent,
  body: JsonObject,
): ItemWriter & { begin(): string } {
  const tellsSources = arrayIn(body, 'include').includes(sourcesIncluded)
  const event = (name: string) => emit(`response.web_search_call.${name}`, { ...place })
  let search: SearchPart | undefined

  return {
    begin: () => event('in_progress') + event('searching'),
    delta: () => '',
    end(ended) {
      if (ended.type !== 'search-end') return ''
      search = ended.search
      return search.error === undefined ? event('completed') : ''
    },
    item(status) {
      const head = { id: place.item_id, type: 'web_search_call' }
      if (status === 'in_progress') return { ...head, status }
      const isDone = search !== undefined && search.error === undefined
      const action = encodeAction(search, tellsSources)
      return { ...head, status: isDone ? 'completed' : 'failed', action }
    },
  }
}

function encodeAction(search: SearchPart | undefined, tellsSources: boolean): JsonObject {
  const { queries = [], results = [] } = search ?? {}
  const sources = results.map(({ url }) => ({ type: 'url', url }))
  const more = tellsSources ? { sources } : {}
  return { type: 'search', query: queries[0] ?? '', queries, ...more }
}
