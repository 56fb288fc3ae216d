import { curlOf } from './curl.ts'
import type { DocsSite } from './document.ts'
import { keyRefused, type Parameter, type PlacedOperation, tags } from './operation.ts'
import { style } from './style.ts'

/**
 * The documentation as one page of HTML without scripts: it shows what the OpenAPI document says,
 * and a browser needs nothing else for it, from here or from elsewhere.
 */
export function docsPage(site: DocsSite, placed: readonly PlacedOperation[]): string {
  const title = escapeHtml(`${site.name}: API`)
  const chapters = Object.entries(tags)
    .map(([tag, about]) => ({ tag, about, own: placed.filter((one) => one.operation.tag === tag) }))
    .filter(({ own }) => own.length > 0)
  const sections = chapters.map(
    ({ tag, about, own }) =>
      `<section><h2 id="${idOf(tag)}">${escapeHtml(tag)}</h2><p>${escapeHtml(about)}</p>` +
      `${own.map((one) => operationHtml(site, one)).join('')}</section>`,
  )
  const links = chapters.map(({ tag }) => `<a href="#${idOf(tag)}">${escapeHtml(tag)}</a>`)
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${title}</title><style>${style}</style></head><body><header><h1>${title}</h1>` +
    `<p>${introduction(site)}</p><nav>${links.join('')}<a href="/docs/translation">Translation</a><a href="/docs/json">OpenAPI</a></nav>` +
    `</header><main>${sections.join('')}</main></body></html>\n`
  )
}

function introduction({ version, addresses }: DocsSite): string {
  const [first = 'http://localhost:8787', ...others] = addresses.map(escapeHtml)
  const more = others.map((address) => `, or <code>${address}</code>`).join('')
  return (
    `Tollgate ${escapeHtml(version)}. Address: <code>${first}</code>${more}. A key goes into one ` +
    'of the headers <code>Authorization: Bearer</code>, <code>x-api-key</code> and ' +
    '<code>x-goog-api-key</code>. For the examples: <code>export KEY=sk-…</code>'
  )
}

function operationHtml(site: DocsSite, { method, path, operation }: PlacedOperation): string {
  const { summary, description, needsKey, parameters, request, answer, others } = operation
  const curl = curlOf(site.addresses[0] ?? 'http://localhost:8787', { method, path, operation })
  const fields = Object.entries(request?.fields ?? {}).map(([name, field]) =>
    row(name, `${field.type}${field.isRequired ? ', required' : ''}`, field.description),
  )
  const rows = [...(parameters ?? []).map(parameterRow), ...fields]
  const statuses = Object.entries({
    200: answer.description,
    ...(needsKey && { 401: keyRefused }),
    ...others,
  }).map(([status, cause]) => row(status, '', cause))
  return (
    `<details id="${idOf(`${method} ${path}`)}"><summary><b class="${method.toLowerCase()}">` +
    `${method}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(summary)}</span></summary>` +
    `${description ? `<p>${escapeHtml(description)}</p>` : ''}` +
    `<p>${needsKey ? 'Needs a key.' : 'Needs no key.'}</p>${table(rows)}` +
    `<pre>${escapeHtml(curl)}</pre>${table(statuses)}` +
    `${answer.example === undefined ? '' : `<pre>${json(answer.example)}</pre>`}` +
    `${answer.schema ? schemaLink(answer.schema) : ''}</details>`
  )
}

const parameterRow = ({ name, place, description, example }: Parameter) =>
  row(name, `in the ${place}`, `${description} Example: ${example}`)

const row = (name: string, kind: string, meaning: string) =>
  `<tr><th><code>${escapeHtml(name)}</code></th><td>${escapeHtml(kind)}</td>` +
  `<td>${escapeHtml(meaning)}</td></tr>`

const table = (rows: readonly string[]) =>
  rows.length > 0 ? `<table>${rows.join('')}</table>` : ''

const json = (value: unknown) => escapeHtml(JSON.stringify(value, null, 2))

const schemaLink = (name: string) => `<p><a href="/schemas/${name}.json">Schema</a></p>`

const idOf = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const escapeHtml = (text: string) => Bun.escapeHTML(text)
