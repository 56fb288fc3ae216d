import type { Modality } from '../../catalog/model-abilities.ts'
import { grouped } from '../../lib/format.ts'
import type { Language } from '../../look/language.ts'
import { escapeHtml } from '../../look/text.ts'
import { percent } from '../figures.ts'
import type { ModelHealth } from './availability.ts'
import type { ModelQuery } from './query.ts'
import { queryText } from './query.ts'
import { english, type Words } from './words-en.ts'
import { chinese } from './words-zh.ts'

export const wordsOf: Readonly<Record<Language, Words>> = { en: english, zh: chinese }

/** The address of the list with another question; the page in it is the first, unless one is named. */
export function listPath(query: ModelQuery, changes: Partial<ModelQuery> = {}): string {
  const text = queryText({ ...query, page: 1, ...changes })
  return text === '' ? '/models' : `/models?${text}`
}

/** `200K`, `1M`, `1.04M`, `1,047,576`. */
export function tokensText(tokens: number): string {
  if (tokens >= 1_000_000 && tokens % 10_000 === 0) return `${tokens / 1_000_000}M`
  return tokens >= 1_000 && tokens % 1_000 === 0 ? `${tokens / 1_000}K` : grouped(tokens)
}

/** The same for narrow columns: `128K` also for 131,072, `1M` for 1,048,576; the title has the exact number. */
export function tokensHtml(tokens: number): string {
  const exact = tokensText(tokens)
  if (/[KM]$/.test(exact) || tokens < 1_000) return exact
  const isBinary = tokens % 1_024 === 0
  const thousands = isBinary ? tokens / 1_024 : Math.round(tokens / 1_000)
  const short =
    thousands >= 1_000
      ? `${Math.round(thousands / (isBinary ? 102.4 : 100)) / 10}M`
      : `${thousands}K`
  return `<span title="${exact}">${short}</span>`
}

/** Modalities within a sentence. */
export const modalitiesText = (list: readonly Modality[], words: Words): string =>
  list.map((one) => words.modalities[one]).join(words.comma)

/** A text with a capital letter first. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** How a model answers now, with the last day's share as title. */
export function stateHtml({ state, availability }: ModelHealth, words: Words): string {
  const day = percent(availability['24h'].ratio)
  const title = day === null ? '' : ` title="${escapeHtml(words.stateTitle(day))}"`
  return `<span class="quiet ${state}"${title}>${words.states[state]}</span>`
}

/** A saving in per cent, a surcharge in words; '' where there is nothing to compare. */
export function savingHtml(saving: number | null, words: Words): string {
  if (saving === null) return ''
  if (saving < 0) return `<span class="dearer">${escapeHtml(words.dearer(-saving))}</span>`
  return saving === 0 ? '0%' : `<span class="save">${saving}%</span>`
}

/** Where there is nothing to say. */
export const none = '–'

/**
 * A cell of a table that becomes a card on a phone: there its column's title stands before it, and an empty one is
 * left out. `classes`: those of the cell.
 */
export function cell(label: string, html: string, classes: readonly string[] = []): string {
  const all = html.startsWith(none) ? [...classes, 'empty'] : classes
  const named = all.length === 0 ? '' : ` class="${all.join(' ')}"`
  return `<td data-l="${escapeHtml(label)}"${named}>${html}</td>`
}

export const numberCell = (label: string, html: string): string => cell(label, html, ['num'])

interface FoldedTable {
  /** The cells of the head's row. */
  readonly head: string
  /** `<tbody>` or rows of each part, such as a group. */
  readonly parts: readonly string[]
  /** How many parts are open. */
  readonly open: number
}

/** A table by groups; with many of them the last ones are folded. */
export function foldedTable({ head, parts, open }: FoldedTable, words: Words): string {
  const table = (shown: readonly string[], more: string) =>
    `<table class="prices cards fixed${more}" style="--n:${head.split('<th').length - 2}"><col><thead><tr>${head}</tr></thead>` +
    `${shown.join('')}</table>`
  // One part alone is not worth a click.
  const isFolded = parts.length > open + 1
  if (!isFolded) return table(parts, '')
  return (
    `${table(parts.slice(0, open), '')}<details class="fold"><summary>${words.moreGroups(parts.length - open)}` +
    `</summary>${table(parts.slice(open), ' more')}</details>`
  )
}
