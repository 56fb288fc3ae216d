import { modelPath } from '../../look/model-path.ts'
import { escapeHtml } from '../../look/text.ts'
import type { ShownRow } from './find.ts'
import { decimalsOf, noPrice, type Price, priceHtml, priceText } from './money.ts'
import { capital, cell, modalitiesText, none, savingHtml, stateHtml, tokensHtml } from './parts.ts'
import type { SortKey } from './query.ts'
import { listTiers } from './rates.ts'
import type { Words } from './words-en.ts'

export type Column = SortKey | 'accepts'

export const allColumns = [
  ...(['name', 'vendor', 'context', 'accepts', 'input', 'cached', 'output'] as const),
  ...(['list', 'saving', 'now'] as const),
] as const satisfies readonly Column[]

interface ModelTable {
  readonly words: Words
  readonly rows: readonly ShownRow[]
  /** Of the name first. */
  readonly columns: readonly Column[]
  /** A class of the table, beside its own ones. */
  readonly className: string
  /** Columns that narrow windows have no room for. */
  readonly wide?: ReadonlySet<Column>
  /** The link of a column's title, and what else its `th` has; absent: the title alone. */
  readonly sortedBy?: (key: SortKey) => SortTitle
}

interface SortTitle {
  readonly href: string
  /** Undefined: the rows are not in this column's order. */
  readonly order: 'ascending' | 'descending' | undefined
}

const numbers: ReadonlySet<Column> = new Set([
  ...(['context', 'input', 'cached', 'output', 'list', 'saving'] as const),
])

/** Models with their prices, a row each. */
export function modelTable(table: ModelTable): string {
  const { words, rows, columns, className } = table
  const heads = columns.map((key) => headHtml(key, table))
  const shown = columns.slice(1).map((key) => columnOf(key, table))
  const lines = rows.map(
    (row) => `<tr>${nameHtml(row, words)}${shown.map((html) => html(row)).join('')}</tr>`,
  )
  return (
    `<table class="prices by-model ${className}"><thead><tr>${heads.join('')}</tr></thead>` +
    `<tbody>${lines.join('')}</tbody></table>`
  )
}

const titleOf = (key: Column, words: Words) =>
  key === 'accepts' ? words.accepts : words.columns[key]

const classesOf = (key: Column, { wide }: ModelTable): readonly string[] => [
  ...(numbers.has(key) ? ['num'] : []),
  ...(key === 'accepts' ? ['text'] : []),
  ...(wide?.has(key) ? ['wide'] : []),
  ...(key === 'now' ? ['corner'] : []),
]

function headHtml(key: Column, table: ModelTable): string {
  const { words, sortedBy } = table
  const small = key === 'list' ? `<small>${words.listHint}</small>` : ''
  const title = titleOf(key, words)
  const classes = classesOf(key, table)
  const named = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`
  const sort = key === 'accepts' ? undefined : sortedBy?.(key)
  if (sort === undefined) return `<th scope="col"${named}>${title}${small}</th>`
  const { href, order } = sort
  const sorted = order === undefined ? '' : ` aria-sort="${order}"`
  const arrow = order === undefined ? '' : order === 'descending' ? ' ↓' : ' ↑'
  return `<th scope="col"${named}${sorted}><a href="${escapeHtml(href)}" rel="nofollow">${title}${arrow}</a>${small}</th>`
}

function nameHtml({ model, sale }: ShownRow, words: Words): string {
  const { name, sales } = model
  const isLowest = sale === sales[0] && sales.length > 1
  const group = isLowest ? words.lowestIn(sale.group.name, sales.length) : sale.group.name
  return (
    `<th scope="row"><a class="name" href="${escapeHtml(modelPath(name))}">${escapeHtml(name)}</a>` +
    `<small><bdi>${escapeHtml(group)}</bdi></small></th>`
  )
}

/** The cells of a column. */
function columnOf(key: Column, table: ModelTable): (row: ShownRow) => string {
  const { words, rows } = table
  const title = titleOf(key, words)
  const classes = classesOf(key, table)
  const decimals = isRate(key) ? decimalsOf(rows.map((row) => rateOf(row, key))) : 0
  return (row) => {
    const html = isRate(key) ? rateHtml(row, key, decimals, words) : cells[key](row, words)
    return cell(title, html, classes)
  }
}

type RateColumn = 'input' | 'cached' | 'output'

const isRate = (key: Column): key is RateColumn =>
  key === 'input' || key === 'cached' || key === 'output'

/** The price in a column of rates, of a request in the first of them; undefined: none. */
function rateOf({ model, charged, sale: { terms } }: ShownRow, key: RateColumn): Price | undefined {
  if (charged.unit === 'free') return undefined
  if (charged.unit === 'call') return key === 'input' ? charged.price : undefined
  const { input, output, cacheRead } = charged.tiers[0].rates
  // Embeddings have no output; without a price of its own, cached input costs what input costs.
  const isOwn = {
    input: true,
    cached: terms.unit === 'tokens' && terms.base.cacheRead !== null,
    output: model.kind !== 'embeddings',
  }
  return isOwn[key] ? ({ input, output, cached: cacheRead }[key] ?? undefined) : undefined
}

function rateHtml(row: ShownRow, key: RateColumn, decimals: number, words: Words): string {
  if (row.charged.unit === 'free') return words.free
  const price = rateOf(row, key)
  if (price === undefined) return noPrice(decimals)
  const unit = row.charged.unit === 'call' ? `<small>${words.perRequest}</small>` : ''
  return priceHtml(price, decimals) + unit
}

const cells: Readonly<
  Record<Exclude<Column, RateColumn>, (row: ShownRow, words: Words) => string>
> = {
  name: ({ model }) => escapeHtml(model.name),
  vendor: ({ model }) => model.vendor?.name ?? none,
  context: ({ model }) => (model.contextWindow === null ? none : tokensHtml(model.contextWindow)),
  accepts({ model }, words) {
    const made = model.output.filter((one) => one !== 'text')
    const returns =
      made.length > 0 ? `<small>${words.returns(modalitiesText(made, words))}</small>` : ''
    return capital(modalitiesText(model.input, words)) + returns
  },
  list({ model }) {
    if (model.list === undefined) return none
    const { input, output } = listTiers(model.list)[0].rates
    return [input, output].map((price) => (price ? priceText(price) : none)).join(' / ')
  },
  saving: ({ saving }, words) => savingHtml(saving, words) || none,
  now: ({ health }, words) => stateHtml(health, words),
}
