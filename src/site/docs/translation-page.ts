import { style } from './style.ts'

/** What becomes of each feature between protocols, as the gateway acts by it. */
export interface TranslationTable {
  /** The columns, in order. */
  readonly protocols: readonly string[]
  /** What each word in the cells means. */
  readonly words: Readonly<Record<string, string>>
  readonly sections: readonly {
    readonly title: string
    readonly about: string
    readonly rows: readonly {
      readonly name: string
      readonly title: string
      /** protocol → word. */
      readonly ways: Readonly<Record<string, string>>
      readonly note: string | null
    }[]
  }[]
  /** How channels may differ from the vendor of their protocol. */
  readonly quirks: readonly {
    readonly name: string
    readonly protocol: string
    readonly title: string
  }[]
}

const escapeHtml = (text: string) => Bun.escapeHTML(text)

const ownStyle = `
table.ways th:first-child { min-width: 14rem } table.ways { font-size: .9rem }
.carried { color: #18a058 } .adapted { color: #2f7ed8 } .dropped { color: #b7791f }
.refused { color: #d03050 } small { opacity: .75; display: block }
.scroll { overflow-x: auto }
@media (max-width: 40rem) {
  table.ways th:first-child { min-width: 7rem } table.ways { font-size: .75rem }
  table.ways th, table.ways td { padding-right: .35rem }
  section > table td { overflow-wrap: anywhere }
}
`

/** The table as one page of HTML without scripts. */
export function translationPage(siteName: string, table: TranslationTable): string {
  const title = escapeHtml(`${siteName}: translation between protocols`)
  const words = Object.entries(table.words)
    .map(
      ([word, meaning]) =>
        `<tr><th class="${word}">${word}</th><td>${escapeHtml(meaning)}</td></tr>`,
    )
    .join('')
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${title}</title><style>${style}${ownStyle}</style></head><body><header><h1>${title}</h1>` +
    '<p>A client may ask for a model in any of the four protocols, whatever its channel speaks. ' +
    'Between a client and a channel of the same protocol all passes untouched; otherwise this ' +
    'table holds. What is dropped is named in the header <code>x-tollgate-dropped</code>; with ' +
    '<code>x-tollgate-strict: true</code> it is refused.</p>' +
    `<table>${words}</table><nav><a href="/docs">API</a></nav></header><main>` +
    `${table.sections.map((section) => sectionHtml(table.protocols, section)).join('')}` +
    `${quirksHtml(table.quirks)}</main></body></html>\n`
  )
}

function sectionHtml(
  protocols: readonly string[],
  { title, about, rows }: TranslationTable['sections'][number],
): string {
  const head = ['', ...protocols].map((name) => `<th>${escapeHtml(name)}</th>`).join('')
  const lines = rows.map(({ title: name, ways, note }) => {
    const cells = protocols.map((protocol) => wayCell(ways[protocol] ?? ''))
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
  const rows = quirks.map(
    ({ name, protocol, title }) =>
      `<tr><th><code>${escapeHtml(name)}</code></th><td>${escapeHtml(protocol)}</td>` +
      `<td>${escapeHtml(title)}</td></tr>`,
  )
  return (
    '<section><h2>Quirks</h2><p>An operator tells of a channel in what it differs from the vendor ' +
    `of its protocol (<code>quirks</code>).</p><table>${rows.join('')}</table></section>`
  )
}
