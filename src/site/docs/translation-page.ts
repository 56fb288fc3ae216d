import type { Language } from '../../look/language.ts'
import { escapeHtml } from '../../look/text.ts'
import type { DocsContent } from './frame.ts'
import { headingHtml, type Section, slugOf, tableHtml } from './guide/markdown.ts'
import { said } from './in-chinese.ts'
import { type TranslationTable, translationTable } from './translation-table.ts'
import { docsWords } from './words.ts'

type TableSection = TranslationTable['sections'][number]

/** What becomes of each feature between protocols, as a page. */
export function translationPage(language: Language): DocsContent {
  const table = translationTable()
  const words = docsWords[language]
  const ways = Object.entries(table.words).map(
    ([way, meaning]) =>
      `<tr><th class="${way}">${said(way, language)}</th><td>${escapeHtml(said(meaning, language))}</td></tr>`,
  )
  const headers = ['x-tollgate-dropped', 'x-tollgate-strict: true'] as const
  const [dropped, strict] = headers.map((name) => `<code>${name}</code>`) as [string, string]
  return {
    title: words.translation,
    description: words.translationAbout,
    headings: [
      ...table.sections.map(({ title }) => ({ id: slugOf(title), text: said(title, language) })),
      { id: 'quirks', text: words.quirks },
    ].map((heading) => ({ ...heading, depth: 2 })),
    html:
      `<h1>${words.translation}</h1><p>${words.translationAbout}</p>` +
      `<p>${words.translationHeaders(dropped, strict)}</p>${tableHtml(ways.join(''))}` +
      table.sections.map((section) => sectionHtml(table.protocols, section, language)).join('') +
      quirksHtml(table.quirks, language),
  }
}

function sectionHtml(
  protocols: TranslationTable['protocols'],
  section: TableSection,
  language: Language,
): string {
  const { title, about, rows } = section
  const head = protocols.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  const lines = rows.map((row) => {
    const cells = protocols.map((protocol) => wayCell(row.ways[protocol], language))
    const more = row.note === null ? '' : `<small>${escapeHtml(said(row.note, language))}</small>`
    return `<tr id="${rowId(section, row)}"><th scope="row">${escapeHtml(said(row.title, language))}${more}</th>${cells.join('')}</tr>`
  })
  const heading = escapeHtml(said(title, language))
  const table =
    `<thead><tr><th scope="col">${docsWords[language].feature}</th>${head}</tr></thead>` +
    `<tbody>${lines.join('')}</tbody>`
  return (
    `${headingHtml({ id: slugOf(title), depth: 2, html: heading })}<p>${escapeHtml(said(about, language))}</p>` +
    tableHtml(table, 'ways')
  )
}

/** The anchor of a feature: `requests-tool_choice`. */
const rowId = ({ title }: TableSection, { name }: TableSection['rows'][number]) =>
  `${slugOf(title)}-${name}`

const wayCell = (way: string, language: Language) =>
  `<td class="${way}">${said(way, language)}</td>`

function quirksHtml(quirks: TranslationTable['quirks'], language: Language): string {
  const words = docsWords[language]
  const rows = quirks.map(({ name, protocol, title }) => {
    const of = protocol === 'all' ? words.allProtocols : protocol
    return `<tr><td><code>${escapeHtml(name)}</code></td><td>${of}</td><td>${escapeHtml(said(title, language))}</td></tr>`
  })
  return (
    `${headingHtml({ id: 'quirks', depth: 2, html: words.quirks })}` +
    `<p>${words.quirksAbout('<code>quirks</code>')}</p>${tableHtml(rows.join(''))}`
  )
}

/** What the search reads: each feature and each quirk is a section of its own. */
export function translationSections(language: Language): readonly Section[] {
  const { sections, quirks, protocols } = translationTable()
  const words = docsWords[language]
  const features = sections.flatMap((section) =>
    section.rows.map((row) => ({
      id: rowId(section, row),
      heading: said(row.title, language),
      text:
        said(section.title, language) +
        words.colon +
        protocols.map((name) => `${name} ${said(row.ways[name], language)}`).join(words.comma) +
        words.stop +
        said(row.note ?? '', language),
    })),
  )
  const ofQuirks = quirks.map(({ name, title }) => ({
    ...{ id: 'quirks', heading: name, text: said(title, language) },
  }))
  return [...features, ...ofQuirks]
}
