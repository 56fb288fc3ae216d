import { escapeHtml } from '../../look/text.ts'
import type { Sale, ShownModel } from './models.ts'
import { decimalsOf, noPrice, type Price, priceHtml } from './money.ts'
import { cell, foldedTable, none, numberCell, savingHtml, tokensText } from './parts.ts'
import {
  type Charged,
  chargedFor,
  listTiers,
  type RateName,
  type Rates,
  rateNames,
  savingIn,
  type Tier,
  tierAt,
} from './rates.ts'
import type { Words } from './words-en.ts'

/** What a model costs in each of its groups, beside the vendor's list, with a sentence for each kind of price. */
export function pricesHtml(model: ShownModel, words: Words): string {
  const charged = model.sales.map((sale) => ({ sale, charged: chargedFor(sale) }))
  const isByTokens = charged.some((one) => one.charged.unit === 'tokens')
  const table = isByTokens ? tokenTable(model, charged, words) : flatTable(charged, words)
  const lead = isByTokens ? words.pricesLead : words.pricesLeadCall
  return (
    `<section class="part" aria-labelledby="prices"><h2 id="prices">${words.prices}</h2><p>${lead}</p>` +
    `${table}${explanations(model, charged, words)}</section>`
  )
}

interface Line {
  readonly sale: Sale
  readonly charged: Charged
}

/** Context lengths from which on some price is another one. */
function limitsOf(model: ShownModel, lines: readonly Line[]): readonly number[] {
  const tiers = [
    ...lines.flatMap(({ charged }) => (charged.unit === 'tokens' ? charged.tiers : [])),
    ...(model.list ? listTiers(model.list) : []),
  ]
  return [...new Set(tiers.map(({ above }) => above))].sort((a, b) => a - b)
}

/** The rates that differ from what they fall back to, or that the vendor has a price for. */
function columnsOf(model: ShownModel, lines: readonly Line[]): readonly RateName[] {
  if (model.kind === 'embeddings') return ['input']
  const listed = model.list ? listTiers(model.list)[0].rates : undefined
  const isOwn = (name: RateName) =>
    listed?.[name] != null ||
    lines.some(({ sale: { terms } }) => terms.unit === 'tokens' && terms.base[name] !== null)
  return rateNames.filter((name) => name === 'input' || name === 'output' || isOwn(name))
}

function tokenTable(model: ShownModel, lines: readonly Line[], words: Words): string {
  const columns = columnsOf(model, lines)
  const limits = limitsOf(model, lines)
  const vendor = model.vendor?.name ?? words.theVendor
  const head = columns.map((name) => `<th scope="col" class="num">${words.rates[name]}</th>`)
  const listed = model.list && listTiers(model.list)
  const tiers = [...(listed ?? []), ...lines.flatMap(tiersOf)]
  const shown = columns.map((name) => ({
    title: words.rates[name],
    decimals: decimalsOf(tiers.map(({ rates }) => rates[name])),
    of: (rates: Rates) => rates[name],
  }))
  const list = listed
    ? bodyOf(
        words.vendorsList(vendor),
        'list',
        limits,
        words,
        (above) => ratesCells(tierAt(listed, above).rates, shown) + savingCell('', words),
      )
    : ''
  const groups = lines.map(({ sale, charged }) =>
    bodyOf(
      sale.group.name,
      '',
      charged.unit === 'tokens' ? limits : [0],
      words,
      (above) => {
        const saving = savingHtml(savingIn(model, charged, above), words)
        const cells =
          charged.unit === 'tokens'
            ? ratesCells(tierAt(charged.tiers, above).rates, shown)
            : numberCell(words.rates.input, flatText(charged, words)) +
              `<td></td>`.repeat(columns.length - 1)
        return cells + savingCell(saving || none, words)
      },
      sale.group.description,
    ),
  )
  const table = {
    head:
      `<th scope="col">${words.group}</th>${head.join('')}` +
      `<th scope="col" class="num">${words.columns.saving}</th>`,
    parts: list === '' ? groups : [list, ...groups],
    open: openGroups + (list === '' ? 0 : 1),
  }
  return foldedTable(table, words)
}

const openGroups = 5

const savingCell = (html: string, words: Words) =>
  cell(words.columns.saving, html, ['num', 'corner'])

const tiersOf = ({ charged }: Line): readonly Tier[] =>
  charged.unit === 'tokens' ? charged.tiers : []

/** The rows of a group, or of the list: one for each range of contexts. */
function bodyOf(
  name: string,
  className: string,
  limits: readonly number[],
  words: Words,
  cells: (above: number) => string,
  about = '',
): string {
  const small = about === '' ? '' : `<small>${escapeHtml(about)}</small>`
  const rows = limits.map((above, at) => {
    const next = limits[1]
    const range =
      above === 0
        ? next === undefined
          ? ''
          : words.above0(tokensText(next))
        : words.aboveTokens(tokensText(above))
    const title =
      at === 0
        ? `<bdi>${escapeHtml(name)}</bdi>${range === '' ? '' : `<small>${range}</small>`}${small}`
        : range
    return `<tr${at === 0 ? '' : ' class="tier"'}><th scope="row">${title}</th>${cells(above)}</tr>`
  })
  return `<tbody${className && ` class="${className}"`}>${rows.join('')}</tbody>`
}

interface RateColumn {
  readonly title: string
  /** Of its longest price. */
  readonly decimals: number
  readonly of: (rates: Rates) => Price | null
}

const ratesCells = (rates: Rates, columns: readonly RateColumn[]) =>
  columns
    .map(({ title, decimals, of }) => {
      const price = of(rates)
      return numberCell(title, price ? priceHtml(price, decimals) : noPrice(decimals))
    })
    .join('')

const flatText = (charged: Charged, words: Words) =>
  charged.unit === 'call'
    ? `${priceHtml(charged.price)}<small>${words.perRequest}</small>`
    : words.free

function flatTable(lines: readonly Line[], words: Words): string {
  const decimals = decimalsOf(
    lines.map(({ charged }) => (charged.unit === 'call' ? charged.price : null)),
  )
  const parts = lines.map(({ sale, charged }) => {
    const price = charged.unit === 'call' ? priceHtml(charged.price, decimals) : words.free
    const name = `<bdi>${escapeHtml(sale.group.name)}</bdi>`
    return `<tbody><tr><th scope="row">${name}</th>${numberCell(words.perRequest, price)}</tr></tbody>`
  })
  const head = `<th scope="col">${words.group}</th><th scope="col" class="num">${words.perRequest}</th>`
  return foldedTable({ head, parts, open: openGroups }, words)
}

function explanations(model: ShownModel, lines: readonly Line[], words: Words): string {
  const { explained } = words
  const [{ offer }] = model.sales
  const units = new Set(lines.map(({ charged }) => charged.unit))
  const columns = units.has('tokens') ? columnsOf(model, lines) : []
  const hasTiers = lines.some((line) => tiersOf(line).length > 1)
  const sentences = [
    ...(columns.includes('cacheRead') ? [explained.cacheRead] : []),
    ...(columns.includes('cacheWrite') ? [explained.cacheWrite] : []),
    ...(hasTiers ? [explained.tiers] : []),
    ...(units.has('call') ? [explained.call] : []),
    ...(units.has('free') && units.size === 1 ? [explained.free] : []),
    ...(model.list?.until ? [explained.listed(model.list.until)] : []),
    ...(offer.price.note === '' ? [] : [`${explained.note} ${escapeHtml(offer.price.note)}`]),
  ]
  if (sentences.length === 0) return ''
  return `<ul>${sentences.map((sentence) => `<li>${sentence}</li>`).join('')}</ul>`
}
