import type { AvailabilityFigures } from '../../catalog/availability.ts'
import { nearest } from '../../lib/suggest.ts'
import { type FrameSite, publicPage } from '../../look/frame.ts'
import type { Language } from '../../look/language.ts'
import { modelPath } from '../../look/model-path.ts'
import { escapeHtml } from '../../look/text.ts'
import { shorten } from '../figures.ts'
import { findRows, withHealth } from './find.ts'
import { listHtml, pageRows } from './list-page.ts'
import { leadText, modelHtml, priceLine, structuredData } from './model-page.ts'
import type { ShownModel } from './models.ts'
import { listPath, tokensText, wordsOf } from './parts.ts'
import { type ModelQuery, plainQuery, queryText } from './query.ts'
import { modelsCss } from './style.ts'

export interface ModelsSite {
  readonly frame: FrameSite
  /** Main address of the gateway; null: that of the request. */
  readonly baseUrl: string | null
  /** What the operator says of all models; may be empty. */
  readonly about: string
}

/** What the pages show. */
export interface Shown {
  readonly models: ReadonlyMap<string, ShownModel>
  readonly figures: AvailabilityFigures
  readonly site: ModelsSite
}

const style = `<style>${modelsCss}</style>`
const notIndexed = '<meta name="robots" content="noindex,follow">'

/** The pages of models as HTML. */
export const modelsPages = { list, model, unknown, closed }

function* list(
  { models, figures, site }: Shown,
  language: Language,
  asked: ModelQuery,
): Generator<void, string> {
  const words = wordsOf[language]
  const rows = yield* findRows(models.values(), asked, figures)
  const last = Math.max(1, Math.ceil(rows.length / pageRows))
  const query = { ...asked, page: Math.min(asked.page, last) }
  const vendors = new Map(
    [...models.values()].flatMap(({ vendor }) => (vendor ? [[vendor.id, vendor] as const] : [])),
  )
  const groups = new Set(
    [...models.values()].flatMap(({ sales }) => sales.map(({ group }) => group.name)),
  )
  const shown = rows.slice((query.page - 1) * pageRows, query.page * pageRows)
  const body = listHtml({
    ...{ query, words, found: rows.length, total: models.size, about: site.about },
    rows: shown.map((row) => withHealth(row, query, figures)),
    vendors: [...vendors.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    groups: [...groups].sort(),
  })
  const isPlain = queryText({ ...query, page: 1 }) === ''
  return publicPage({
    title: `${words.title} · ${site.frame.name}`,
    description: words.description(site.frame.name, models.size),
    ...{ language, path: listPath(query, { page: query.page }), site: site.frame, body },
    head: style + (isPlain ? '' : notIndexed),
  })
}

function* model(
  { models, figures, site }: Shown,
  language: Language,
  { name, address }: { readonly name: string; readonly address: string },
): Generator<void, string> {
  const found = models.get(name)
  yield
  // The catalog may have changed since the model was looked up.
  if (found === undefined) return unknown([...models.keys()], site, language, name)
  const words = wordsOf[language]
  const context =
    found.contextWindow === null ? '' : words.contextLine(tokensText(found.contextWindow))
  const description = words.modelDescription(name, priceLine(found, words), context)
  return publicPage({
    title: `${words.modelTitle(name)} · ${site.frame.name}`,
    ...{ description, language, path: modelPath(name), site: site.frame, copies: true },
    body: modelHtml({ model: found, language, figures, address }),
    head: style + structuredData(found, leadText(found, words), site.frame.origin),
  })
}

const mostSuggested = 8

function unknown(
  names: readonly string[],
  site: ModelsSite,
  language: Language,
  name: string,
): string {
  const words = wordsOf[language]
  const bare = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  const alike = bare.length < 3 ? [] : names.filter((one) => one.toLowerCase().includes(bare))
  const meant = [...new Set([...alike, ...nearest(name, names, mostSuggested)])].slice(
    0,
    mostSuggested,
  )
  const links = meant.map(
    (one) => `<li><a href="${escapeHtml(modelPath(one))}">${escapeHtml(one)}</a></li>`,
  )
  const suggested =
    links.length === 0 ? '' : `<h2>${words.meant}</h2><ul class="meant">${links.join('')}</ul>`
  const body =
    `<div class="wrap"><h1>${words.unknownModel}</h1><p class="lead">` +
    `${escapeHtml(words.unknownModelText(shorten(name, 100)))}</p>` +
    `<form class="again" role="search" action="/models"><input type="search" name="q" aria-label="${words.search}" ` +
    `value="${escapeHtml(shorten(bare, 100))}" maxlength="100"><button class="button main">${words.search}</button>` +
    `<a href="${listPath(plainQuery)}">${words.allModels}</a></form>${suggested}</div>`
  return publicPage({
    title: `${words.unknownModel} · ${site.frame.name}`,
    description: words.unknownModel,
    ...{ language, path: modelPath(name), site: { ...site.frame, origin: null }, body },
    head: style + notIndexed,
  })
}

function closed(site: ModelsSite, language: Language, needsKey: boolean): string {
  const words = wordsOf[language]
  const body =
    `<div class="wrap none"><h1>${words.closed}</h1><p>${needsKey ? words.needsKey : words.off}</p>` +
    `<a class="button main" href="/console/plaza">${words.signIn}</a></div>`
  return publicPage({
    title: `${words.title} · ${site.frame.name}`,
    description: words.closed,
    ...{ language, path: '/models', site: { ...site.frame, origin: null }, body },
    head: style + notIndexed,
  })
}
