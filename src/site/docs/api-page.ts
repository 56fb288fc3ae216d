import type { Language } from '../../look/language.ts'
import { escapeHtml } from '../../look/text.ts'
import { codeBlock, copiedBlock } from '../highlight.ts'
import type { DocsSite } from './document.ts'
import type { DocsContent } from './frame.ts'
import { type Heading, headingHtml, type Section, slugOf, tableHtml } from './guide/markdown.ts'
import { kindIn, said } from './in-chinese.ts'
import { fieldsOf, keyRefused, type PlacedOperation, tags, typeName } from './operation.ts'
import { tryForm } from './try-it.ts'
import { docsWords, type Words } from './words.ts'

/** An error of the gateway, as clients see it. */
export interface ApiError {
  readonly word: string
  readonly status: number
  readonly meaning: Readonly<Record<Language, string>>
}

interface ApiParts {
  readonly site: DocsSite
  readonly placed: readonly PlacedOperation[]
  readonly errors: readonly ApiError[]
  readonly language: Language
}

/** Where a gateway answers that was told no other address. */
export const usualAddress = 'http://localhost:8787'

/** The reference of the API as a page, made from what the OpenAPI document is made from. */
export function apiPage(parts: ApiParts): DocsContent {
  const { placed, errors, language } = parts
  const words = docsWords[language]
  const chapters = Object.entries(tags)
    .map(([tag, about]) => ({ tag, about, own: placed.filter((one) => one.operation.tag === tag) }))
    .filter(({ own }) => own.length > 0)
  const sections = chapters.map(
    ({ tag, about, own }) =>
      `${headingHtml({ id: slugOf(tag), depth: 2, html: escapeHtml(said(tag, language)) })}<p>${escapeHtml(said(about, language))}</p>` +
      own.map((one) => operationHtml(parts, one)).join(''),
  )
  return {
    title: words.apiTitle,
    description: words.apiAbout,
    headings: [
      ...chapters.flatMap(({ tag, own }) => [
        { id: slugOf(tag), text: said(tag, language), depth: 2 },
        ...own.map((one) => headingOf(one, language)),
      ]),
      { id: 'errors', text: words.errors, depth: 2 },
    ],
    html: `<h1>${words.apiTitle}</h1>${introduction(parts.site, words)}${sections.join('')}${errorsHtml(errors, language)}`,
  }
}

/** The anchor of an operation. */
const idOf = ({ method, path }: PlacedOperation) =>
  `${method} ${path}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')

const headingOf = (placed: PlacedOperation, language: Language): Heading => ({
  id: idOf(placed),
  text: said(placed.operation.summary, language),
  depth: 3,
})

function introduction({ addresses }: DocsSite, words: Words): string {
  const all = addresses.length > 0 ? addresses : [usualAddress]
  const codes = (texts: readonly string[]) =>
    texts.map((text) => `<code>${escapeHtml(text)}</code>`).join(words.comma)
  const headers = codes(['Authorization: Bearer', 'x-api-key', 'x-goog-api-key'])
  return (
    `<p>${words.apiAbout}</p><p>${words.address}${words.colon}${codes(all)}</p>` +
    `<p>${words.keyGoes(headers)}</p><p>${words.forExamples}${words.colon}<code>export KEY=sk-…</code></p>` +
    `<p><a href="/docs/json">${words.openApi}</a> · <a href="/docs/translation">${words.translation}</a></p>`
  )
}

function operationHtml({ site, language }: ApiParts, placed: PlacedOperation): string {
  const { method, path, operation } = placed
  const { summary, description, isOpen, parameters = [], answer, example, schema } = operation
  const words = docsWords[language]
  const say = (text: string) => said(text, language)
  const rows = [
    ...parameters.map((one) =>
      row(
        one.name,
        kindIn(one.place, language),
        `${say(one.description)} ${words.example}${words.colon}${one.example}`,
      ),
    ),
    ...(operation.body === undefined ? [] : fieldsOf(placed)).map((field) => {
      const type = field.schema ? kindIn(typeName(field.schema), language) : ''
      const kind = field.isRequired ? type + words.comma + words.required : type
      return row(field.name, kind, say(field.description))
    }),
  ]
  const causes = { 200: answer, ...(!isOpen && { 401: keyRefused }), ...operation.others }
  const statuses = Object.entries(causes).map(([status, cause]) =>
    row(status, undefined, say(cause)),
  )
  const part = (title: string, html: string) => (html === '' ? '' : `<h4>${title}</h4>${html}`)
  const fields = tableOf([words.name, words.type, words.meaning], rows)
  const answers = tableOf([words.status, words.meaning], statuses)
  return (
    headingHtml({ id: idOf(placed), depth: 3, html: escapeHtml(say(summary)) }) +
    `<p class="op"><b class="${method.toLowerCase()}">${method}</b> <code>${escapeHtml(path)}</code>` +
    `<span class="badge">${isOpen ? words.needsNoKey : words.needsKey}</span></p>` +
    `${description ? `<p>${escapeHtml(say(description))}</p>` : ''}${part(words.parameters, fields)}` +
    part(
      words.request,
      copiedBlock(curlOf(site.addresses[0] ?? usualAddress, placed), 'bash', language),
    ) +
    `${tryForm(placed, words)}${part(words.answers, answers)}` +
    part(words.exampleAnswer, exampleHtml(example)) +
    `${schema ? `<p><a href="/schemas/${schema}.json">${words.schema}</a></p>` : ''}`
  )
}

function exampleHtml(example: unknown): string {
  if (example === undefined) return ''
  return codeBlock(typeof example === 'string' ? example : JSON.stringify(example, null, 2), 'json')
}

const row = (name: string, kind: string | undefined, meaning: string) =>
  `<tr><td><code>${escapeHtml(name)}</code></td>` +
  `${kind === undefined ? '' : `<td>${escapeHtml(kind)}</td>`}<td>${escapeHtml(meaning)}</td></tr>`

const tableOf = (heads: readonly string[], rows: readonly string[]) =>
  rows.length === 0
    ? ''
    : tableHtml(
        `<thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead>${rows.join('')}`,
        'fields',
      )

function errorsHtml(errors: readonly ApiError[], language: Language): string {
  const words = docsWords[language]
  const rows = errors.map(({ word, status, meaning }) =>
    row(String(status), word, meaning[language]),
  )
  const heading = headingHtml({ id: 'errors', depth: 2, html: words.errors })
  return `${heading}<p>${words.errorsAbout}</p>${tableOf([words.status, words.cause, words.meaning], rows)}`
}

/** A curl line for an operation at an address; the token is in the shell's `$KEY`. */
function curlOf(address: string, { method, path, operation }: PlacedOperation): string {
  const { isOpen, parameters = [], body, contentType = 'application/json' } = operation
  const query = parameters
    .filter(({ place }) => place === 'query')
    .map(({ name, example }) => `${name}=${example}`)
    .join('&')
  const filled = path.replace(
    /\{([^}]*)\}/g,
    (whole, name) => parameters.find((parameter) => parameter.name === name)?.example ?? whole,
  )
  const url = address.replace(/\/+$/, '') + filled + (query && `?${query}`)
  const parts = [`curl '${url}'`]
  if (method === 'DELETE') parts.push('-X DELETE')
  if (!isOpen) parts.push('-H "Authorization: Bearer $KEY"')
  if (contentType === 'multipart/form-data') {
    parts.push(...Object.entries(Object(body)).map(([name, value]) => `-F '${name}=${value}'`))
  } else if (body !== undefined) {
    parts.push(`-H 'content-type: ${contentType}'`, `-d '${JSON.stringify(body)}'`)
  }
  return parts.join(' \\\n  ')
}

/** What the search reads: each operation, and each error, is a section of its own. */
export const apiSections = (
  placed: readonly PlacedOperation[],
  errors: readonly ApiError[],
  language: Language,
): readonly Section[] => [
  ...placed.map((one) => ({
    id: idOf(one),
    heading: `${said(one.operation.summary, language)} (${one.method} ${one.path})`,
    text: [one.operation.description ?? '', one.operation.answer]
      .map((text) => said(text, language))
      .join(' ')
      .trim(),
  })),
  ...errors.map(({ word, status, meaning }) => ({
    ...{ id: 'errors', heading: `${status} ${word}`, text: meaning[language] },
  })),
]
