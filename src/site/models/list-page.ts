import { modalities } from '../../catalog/model-abilities.ts'
import { escapeHtml } from '../../look/text.ts'
import type { ShownRow } from './find.ts'
import { capital, listPath, tokensText } from './parts.ts'
import { contextSteps, isFiltered, type ModelQuery, type SortKey, sortText } from './query.ts'
import { allColumns, type Column, modelTable } from './table.ts'
import type { Vendor } from './vendors.ts'
import type { Words } from './words-en.ts'

/** Rows of one page. */
export const pageRows = 100

export interface ListParts {
  readonly query: ModelQuery
  readonly words: Words
  /** Number of models that match. */
  readonly found: number
  /** Those of this page, in order. */
  readonly rows: readonly ShownRow[]
  /** Number of models without filters. */
  readonly total: number
  readonly vendors: readonly Vendor[]
  readonly groups: readonly string[]
  /** What the operator says of all models; may be empty. */
  readonly about: string
}

/** The inside of the list of models. */
export function listHtml(parts: ListParts): string {
  const { words, found, total, about, query } = parts
  const lead = about === '' ? '' : `<p class="lead">${escapeHtml(about)}</p>`
  const head = `<h1>${words.title}</h1>${lead}<p class="lead">${words.lead}</p>`
  if (total === 0) return wrap(head + emptyHtml(words))
  const reset = isFiltered(query) ? ` <a href="/models">${words.reset}</a>` : ''
  const bar = `<p class="bar" role="status"><span>${words.found(found, total)}</span>${reset}</p>`
  const table = found === 0 ? noneHtml(words) : tableHtml(parts) + pagerHtml(parts)
  return wrap(head + formHtml(parts) + bar + table)
}

const wrap = (html: string) => `<div class="wrap">${html}</div>`

const emptyHtml = (words: Words) =>
  `<div class="none"><h2>${words.empty}</h2><p>${words.emptyHint}</p>` +
  `<a class="button" href="/console/">${words.openConsole}</a></div>`

const noneHtml = (words: Words) =>
  `<div class="none"><h2>${words.noneFound}</h2><p>${words.noneFoundHint} ` +
  `<a href="/models">${words.reset}</a>.</p></div>`

type Choice = readonly [value: string, name: string]

function formHtml({ query, words, vendors, groups }: ListParts): string {
  const { q, vendor, group, modality, context } = query
  const kinds = modalities.filter((one) => one !== 'text')
  const sort = sortText(query)
  const sorts: Choice[] = Object.entries(words.sorts)
  if (!sorts.some(([value]) => value === sort))
    sorts.push([sort, words.sortedBy(words.columns[query.sort], query.isDescending)])
  const any: Choice = ['', words.any]
  return (
    `<form class="filters" role="search" action="/models"><label>${words.search}` +
    `<input type="search" name="q" value="${escapeHtml(q)}" placeholder="${words.searchHint}" maxlength="100"></label>` +
    select(words.columns.vendor, 'vendor', vendor, [
      any,
      ...vendors.map(({ id, name }) => [id, name] as const),
    ]) +
    select(words.group, 'group', group, [any, ...groups.map((name) => [name, name] as const)]) +
    select(words.modality, 'modality', modality ?? '', [
      any,
      ...kinds.map((one) => [one, capital(words.modalities[one])] as const),
    ]) +
    select(words.contextAtLeast, 'context', String(context ?? ''), [
      any,
      ...contextSteps.map((step) => [String(step), words.atLeast(tokensText(step))] as const),
    ]) +
    select(words.sort, 'sort', sort, sorts) +
    `<button class="button main">${words.filter}</button></form>`
  )
}

function select(label: string, name: string, value: string, choices: readonly Choice[]): string {
  const options = choices.map(([one, text]) => {
    const isChosen = one === value ? ' selected' : ''
    return `<option value="${escapeHtml(one)}"${isChosen}>${escapeHtml(text)}</option>`
  })
  return `<label>${label}<select name="${name}">${options.join('')}</select></label>`
}

/** Columns that begin with what is largest. */
const largestFirst: ReadonlySet<SortKey> = new Set(['context', 'saving', 'now'])

const wide: ReadonlySet<Column> = new Set(['vendor', 'accepts', 'cached', 'list'])

const tableHtml = ({ query, words, rows }: ListParts): string =>
  modelTable({
    ...{ words, rows, columns: allColumns, className: 'cards', wide },
    sortedBy(key) {
      const isSorted = query.sort === key
      const isDescending = isSorted ? !query.isDescending : largestFirst.has(key)
      const order = query.isDescending ? 'descending' : 'ascending'
      return {
        href: listPath(query, { sort: key, isDescending }),
        order: isSorted ? order : undefined,
      }
    },
  })

function pagerHtml({ query, words, found }: ListParts): string {
  const last = Math.ceil(found / pageRows)
  if (last < 2) return ''
  const { page } = query
  const link = (to: number, name: string, rel: string) =>
    to < 1 || to > last
      ? ''
      : `<a class="button" rel="${rel}" href="${escapeHtml(listPath(query, { page: to }))}">${name}</a>`
  return (
    `<nav class="pager" aria-label="${words.pages}">${link(page - 1, words.previous, 'prev')}` +
    `<span>${words.page(Math.min(page, last), last)}</span>${link(page + 1, words.next, 'next')}</nav>`
  )
}
