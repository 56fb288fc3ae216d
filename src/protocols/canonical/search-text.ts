import type { SearchPart } from './request.ts'

/** What a search has found, as text for a model whose vendor can't be told of it otherwise. */
export function searchText({ queries, results }: Omit<SearchPart, 'type'>): string {
  const pages = results.map(({ title, url }) =>
    title === undefined || title === url ? `- ${url}` : `- ${title}: ${url}`,
  )
  const found = pages.length === 0 ? ['Nothing was found.'] : pages
  const asked = queries.map((query) => `Query: ${query}`)
  return ['<web_search>', ...asked, ...found, '</web_search>'].join('\n')
}
