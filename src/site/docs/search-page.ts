import type { Language } from '../../look/language.ts'
import { escapeHtml } from '../../look/text.ts'
import type { DocsContent } from './frame.ts'
import type { Hit } from './search.ts'
import { docsWords } from './words.ts'

/** What was found, as a page. */
export function searchPage(query: string, hits: readonly Hit[], language: Language): DocsContent {
  const words = docsWords[language]
  const asked = `<q>${escapeHtml(query)}</q>`
  const items = hits.map(
    ({ path, title, heading, excerpt }) =>
      `<li><a href="${escapeHtml(path)}">${escapeHtml(heading === '' ? title : heading)}</a>` +
      `<small>${escapeHtml(title)}</small><p>${excerpt}</p></li>`,
  )
  return {
    title: words.search,
    description: words.searchDocs,
    headings: [],
    html:
      `<h1>${words.search}</h1>` +
      (query === ''
        ? `<p>${words.askSomething}</p>`
        : hits.length === 0
          ? `<p>${words.noResults(asked)}</p><p>${words.noResultsAbout}</p>`
          : `<p>${words.results(asked)}</p><ol class="hits">${items.join('')}</ol>`),
  }
}

/** The page at an address without one. */
export function missingPage(language: Language): DocsContent {
  const words = docsWords[language]
  return {
    title: words.notFound,
    description: words.notFoundAbout,
    headings: [],
    html: `<h1>${words.notFound}</h1><p>${words.notFoundAbout}</p>`,
  }
}
