import { icon } from '../../look/icons.ts'
import type { Language } from '../../look/language.ts'
import { escapeHtml } from '../../look/text.ts'
import type { Heading } from './guide/markdown.ts'
import type { MenuPage } from './library.ts'
import { docsWords, type Words } from './words.ts'

/** A page of the documentation without what is around it. */
export interface DocsContent {
  readonly title: string
  readonly description: string
  /** From the page's `h1` on. */
  readonly html: string
  readonly headings: readonly Heading[]
}

export interface FrameParts {
  /** The page's name; undefined: none of the menu. */
  readonly name: string | undefined
  readonly content: DocsContent
  readonly menu: readonly MenuPage[]
  readonly language: Language
  readonly version: string
  /** What was searched for. */
  readonly query?: string
}

/** The page within the menu, the list of its headings and the search box. */
export function docsBody({ name, content, menu, language, version, query = '' }: FrameParts) {
  const words = docsWords[language]
  const list = menuHtml(menu, name, words)
  const search = (id: string) => searchHtml(id, query, words)
  return (
    `<div class="wrap docs"><div class="side"><nav aria-label="${words.docs}">${search('q')}${list}` +
    `<p class="version">Tollgate ${escapeHtml(version)}</p></nav></div>` +
    `<div class="narrow">${search('q2')}<details><summary>${words.menu}</summary>${list}</details></div>` +
    `<article>${content.html}${neighboursHtml(menu, name, words)}</article>` +
    `${contentsHtml(content.headings, words)}</div>`
  )
}

function searchHtml(id: string, query: string, words: Words): string {
  return (
    `<form class="search" action="/docs/search" role="search"><label for="${id}">${words.searchDocs}</label>` +
    `<input id="${id}" name="q" type="search" maxlength="100" placeholder="${words.search}" value="${escapeHtml(query)}">` +
    `<button class="button" aria-label="${words.search}">${icon('search')}</button></form>`
  )
}

function menuHtml(menu: readonly MenuPage[], name: string | undefined, words: Words): string {
  const item = (page: MenuPage) =>
    `<li><a href="${page.path}"${page.name === name ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a></li>`
  const part = (title: string, pages: readonly MenuPage[]) =>
    pages.length === 0 ? '' : `<p>${title}</p><ul>${pages.map(item).join('')}</ul>`
  return (
    part(
      words.guide,
      menu.filter(({ isReference }) => !isReference),
    ) +
    part(
      words.reference,
      menu.filter(({ isReference }) => isReference),
    )
  )
}

function neighboursHtml(menu: readonly MenuPage[], name: string | undefined, words: Words): string {
  const at = menu.findIndex((page) => page.name === name)
  if (at < 0) return ''
  const link = (page: MenuPage | undefined, word: string, kind: string) =>
    page === undefined
      ? ''
      : `<a rel="${kind}" href="${page.path}"><small>${word}</small>${escapeHtml(page.title)}</a>`
  return (
    `<nav class="neighbours" aria-label="${words.previous} / ${words.next}">` +
    `${link(menu[at - 1], words.previous, 'prev')}${link(menu[at + 1], words.next, 'next')}</nav>`
  )
}

function contentsHtml(headings: readonly Heading[], words: Words): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 2) return '<div></div>'
  const items = shown.map(
    ({ id, text, depth }) =>
      `<li class="d${depth}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
  )
  return `<nav class="contents" aria-label="${words.onThisPage}"><p>${words.onThisPage}</p><ul>${items.join('')}</ul></nav>`
}
