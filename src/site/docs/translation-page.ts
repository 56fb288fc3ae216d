import { escapeHtml } from '../../look/text.ts'
import type { DocsContent } from './frame.ts'
import { headingHtml, slugOf, tableHtml } from './guide/markdown.ts'
import type { DocsLanguage } from './library.ts'
import { type TranslationTable, translationTable } from './translation-table.ts'
import { docsWords } from './words.ts'

/** What becomes of each feature between protocols, as a page. */
export function translationPage(language: DocsLanguage): DocsContent {
  const table = translationTable()
  const title = docsWords[language].translation
  const words = Object.entries(table.words).map(
    ([word, meaning]) => `<tr><th class="${word}">${word}</th><td>${escapeHtml(meaning)}</td></tr>`,
  )
  const about =
    'A client may ask for a model in any of the four protocols, whatever its channel speaks. ' +
    'Between a client and a channel of the same protocol all passes untouched; otherwise this ' +
    'table holds.'
  return {
    title,
    description: about,
    headings: [...table.sections.map((section) => section.title), 'Quirks'].map((text) => ({
      ...{ id: slugOf(text), text, depth: 2 },
    })),
    html:
      `<h1>${title}</h1><p>${about}</p><p>What is dropped is named in the header ` +
      '<code>x-tollgate-dropped</code>; with <code>x-tollgate-strict: true</code> it is refused.</p>' +
      tableHtml(words.join('')) +
      table.sections.map((section) => sectionHtml(table.protocols, section)).join('') +
      quirksHtml(table.quirks),
  }
}

function sectionHtml(
  protocols: TranslationTable['protocols'],
  { title, about, rows }: TranslationTable['sections'][number],
): string {
  const head = protocols.map((name) => `<th>${escapeHtml(name)}</th>`).join('')
  const lines = rows.map(({ title: name, ways, note }) => {
    const cells = protocols.map((protocol) => wayCell(ways[protocol]))
    const more = note === null ? '' : `<small>${escapeHtml(note)}</small>`
    return `<tr><th>${escapeHtml(name)}${more}</th>${cells.join('')}</tr>`
  })
  const table = `<thead><tr><td></td>${head}</tr></thead><tbody>${lines.join('')}</tbody>`
  return (
    `${headingHtml({ id: slugOf(title), depth: 2, html: escapeHtml(title) })}<p>${escapeHtml(about)}</p>` +
    tableHtml(table).replace('<table>', '<table class="ways">')
  )
}

const wayCell = (way: string) => `<td class="${escapeHtml(way)}">${escapeHtml(way)}</td>`

function quirksHtml(quirks: TranslationTable['quirks']): string {
  const rows = quirks.map(
    ({ name, protocol, title }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(protocol)}</td><td>${escapeHtml(title)}</td></tr>`,
  )
  return (
    `${headingHtml({ id: 'quirks', depth: 2, html: 'Quirks' })}<p>Operators can say how a channel differs ` +
    `from the vendor of its protocol (<code>quirks</code>).</p>${tableHtml(rows.join(''))}`
  )
}
