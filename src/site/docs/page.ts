import type { DocsSite } from './document.ts'
import { fieldsOf, keyRefused, type PlacedOperation, tags, typeName } from './operation.ts'
import { type TranslationTable, translationTable } from './translation-table.ts'

/** The documentation as a page of HTML without scripts, made from the OpenAPI document. */
export function docsPage(site: DocsSite, placed: readonly PlacedOperation[]): string {
  const chapters = Object.entries(tags)
    .map(([tag, about]) => ({ tag, about, own: placed.filter((one) => one.operation.tag === tag) }))
    .filter(({ own }) => own.length > 0)
  const sections = chapters.map(
    ({ tag, about, own }) =>
      `<section><h2 id="${idOf(tag)}">${escapeHtml(tag)}</h2><p>${escapeHtml(about)}</p>` +
      `${own.map((one) => operationHtml(site, one)).join('')}</section>`,
  )
  const links = chapters.map(({ tag }) => `<a href="#${idOf(tag)}">${escapeHtml(tag)}</a>`)
  const others = '<a href="/docs/translation">Translation</a><a href="/docs/json">OpenAPI</a>'
  return pageHtml({
    title: `${site.name}: API`,
    head: `<p>${introduction(site)}</p><nav>${links.join('')}${others}</nav>`,
    main: sections.join(''),
  })
}

function pageHtml({ title: text, head, main }: Record<'title' | 'head' | 'main', string>): string {
  const title = escapeHtml(text)
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${title}</title><style>${style}</style></head><body><header><h1>${title}</h1>` +
    `${head}</header><main>${main}</main></body></html>\n`
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

function operationHtml(site: DocsSite, placed: PlacedOperation): string {
  const { method, path, operation } = placed
  const { summary, description, isOpen, parameters = [], answer, example, schema } = operation
  const rows = [
    ...parameters.map((one) =>
      row(one.name, `in the ${one.place}`, `${one.description} Example: ${one.example}`),
    ),
    ...(operation.body === undefined ? [] : fieldsOf(placed)).map((field) => {
      const type = field.schema ? typeName(field.schema) : ''
      return row(field.name, field.isRequired ? `${type}, required` : type, field.description)
    }),
  ]
  const causes = { 200: answer, ...(!isOpen && { 401: keyRefused }), ...operation.others }
  const statuses = Object.entries(causes).map(([status, cause]) => row(status, '', cause))
  return (
    `<details id="${idOf(`${method} ${path}`)}"><summary><b class="${method.toLowerCase()}">` +
    `${method}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(summary)}</span></summary>` +
    `${description ? `<p>${escapeHtml(description)}</p>` : ''}` +
    `<p>${isOpen ? 'Needs no key.' : 'Needs a key.'}</p>${table(rows)}` +
    `<pre>${escapeHtml(curlOf(site.addresses[0] ?? 'http://localhost:8787', placed))}</pre>` +
    table(statuses) +
    (example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`) +
    `${schema ? `<p><a href="/schemas/${schema}.json">Schema</a></p>` : ''}</details>`
  )
}

const row = (name: string, kind: string, meaning: string) =>
  `<tr><th><code>${escapeHtml(name)}</code></th><td>${escapeHtml(kind)}</td>` +
  `<td>${escapeHtml(meaning)}</td></tr>`

const table = (rows: readonly string[]) =>
  rows.length > 0 ? `<table>${rows.join('')}</table>` : ''

const idOf = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const escapeHtml = (text: string) => Bun.escapeHTML(text)

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

/** The table as one page of HTML without scripts. */
export function translationPage(siteName: string): string {
  const table = translationTable()
  const words = Object.entries(table.words).map(
    ([word, meaning]) => `<tr><th class="${word}">${word}</th><td>${escapeHtml(meaning)}</td></tr>`,
  )
  return pageHtml({
    title: `${siteName}: translation between protocols`,
    head:
      '<p>A client may ask for a model in any of the four protocols, whatever its channel speaks. ' +
      'Between a client and a channel of the same protocol all passes untouched; otherwise this ' +
      'table holds. What is dropped is named in the header <code>x-tollgate-dropped</code>; with ' +
      '<code>x-tollgate-strict: true</code> it is refused.</p>' +
      `<table>${words.join('')}</table><nav><a href="/docs">API</a></nav>`,
    main:
      table.sections.map((section) => sectionHtml(table.protocols, section)).join('') +
      quirksHtml(table.quirks),
  })
}

function sectionHtml(
  protocols: TranslationTable['protocols'],
  { title, about, rows }: TranslationTable['sections'][number],
): string {
  const head = ['', ...protocols].map((name) => `<th>${escapeHtml(name)}</th>`).join('')
  const lines = rows.map(({ title: name, ways, note }) => {
    const cells = protocols.map((protocol) => wayCell(ways[protocol]))
    const more = note === null ? '' : `<small>${escapeHtml(note)}</small>`
    return `<tr><th>${escapeHtml(name)}${more}</th>${cells.join('')}</tr>`
  })
  return (
    `<section><h2>${escapeHtml(title)}</h2><p>${escapeHtml(about)}</p>` +
    `<div class="scroll"><table class="ways"><tr>${head}</tr>${lines.join('')}</table></div></section>`
  )
}

const wayCell = (way: string) => `<td class="${escapeHtml(way)}">${escapeHtml(way)}</td>`

function quirksHtml(quirks: TranslationTable['quirks']): string {
  const rows = quirks.map(({ name, protocol, title }) => row(name, protocol, title))
  return (
    '<section><h2>Quirks</h2><p>Operators can say how a channel differs from the vendor ' +
    `of its protocol (<code>quirks</code>).</p><table>${rows.join('')}</table></section>`
  )
}

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #06c; }
@media (prefers-color-scheme: dark) { :root { --link: #7bf } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.25rem; margin: 2rem 0 0 }
a { color: var(--link) } nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem }
code, pre { font: .875em/1.5 ui-monospace, monospace }
pre { overflow: auto; padding: .75rem; background: var(--soft); border-radius: .4rem }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: 0 .75rem }
summary { padding: .5rem 0; cursor: pointer } summary span { opacity: .75 }
summary b { display: inline-block; min-width: 4.2rem; font-size: .8rem }
.get { color: #18a058 } .post { color: #2f7ed8 } .delete { color: #d03050 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
tr + tr { border-top: 1px solid var(--line) } th { font-weight: normal }
table.ways th:first-child { min-width: 14rem } table.ways { font-size: .9rem }
.carried { color: #18a058 } .adapted { color: #2f7ed8 } .dropped { color: #b7791f }
.refused { color: #d03050 } small { opacity: .75; display: block }
.scroll { overflow-x: auto }
@media (max-width: 40rem) {
  table.ways th:first-child { min-width: 7rem } table.ways { font-size: .75rem }
  table.ways th, table.ways td { padding-right: .35rem }
  section > table td { overflow-wrap: anywhere }
}
`.trim()
