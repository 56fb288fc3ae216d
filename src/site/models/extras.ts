import { modalityName } from '../../billing/extras.ts'
import { formatDecimal, multiplierDecimals } from '../../billing/money.ts'
import { offeredExtras } from '../../catalog/vendor-extras.ts'
import { escapeHtml } from '../../look/text.ts'
import { modalityKinds, type VendorExtras } from '../../store/ports/extras.ts'
import type { Sale, ShownModel } from './models.ts'
import { decimalsOf, noPrice, type Price, perMillion, perUse, priceHtml } from './money.ts'
import { foldedTable, numberCell } from './parts.ts'
import type { Words } from './words-en.ts'

/** Something that is billed beside text: its price in a list, before any multiplier. */
interface Extra {
  readonly name: string
  readonly of: (extras: VendorExtras) => number | undefined
}

interface Offered {
  readonly sale: Sale
  readonly extras: VendorExtras
}

/** What is billed beside text: other tokens, tools, service tiers. '' where there is none. */
export function extrasHtml(model: ShownModel, words: Words): string {
  const offered = model.sales.map((sale) => ({ sale, extras: offeredExtras(sale.offer) }))
  const { list } = model
  const listed: VendorExtras = {
    ...list?.terms.extras,
    modalities: list?.terms.base.modalities ?? {},
  }
  const table = (title: string, lead: string, extras: readonly Extra[], price: typeof perUse) =>
    extras.length === 0
      ? ''
      : `<h3>${title}</h3><p>${lead}</p>${tableOf({ model, offered, listed, extras, price }, words)}`
  const inner =
    table(words.modalityPrices, words.modalityLead, modalityExtras(offered, words), perMillion) +
    (model.kind === 'answers'
      ? table(words.toolPrices, words.toolLead, toolExtras(offered, words), perUse)
      : '') +
    (model.kind === 'embeddings' ? '' : tiersHtml(offered, words))
  if (inner === '') return ''
  return `<section class="part" aria-labelledby="extras"><h2 id="extras">${words.extras}</h2>${inner}</section>`
}

function modalityExtras(offered: readonly Offered[], words: Words): readonly Extra[] {
  return modalityKinds
    .filter((kind) => offered.some(({ extras }) => extras.modalities?.[kind] !== undefined))
    .map((kind) => ({
      name: words.modalityKinds[kind] ?? modalityName(kind),
      of: (extras) => extras.modalities?.[kind],
    }))
}

/** Tools that cost something in some group, the best known first. */
function toolExtras(offered: readonly Offered[], words: Words): readonly Extra[] {
  const names = new Set(offered.flatMap(({ extras }) => Object.keys(extras.tools ?? {})))
  return [...names]
    .filter((tool) => offered.some(({ extras }) => (extras.tools?.[tool] ?? 0) > 0))
    .sort()
    .map((tool) => ({
      name: Object.hasOwn(words.toolNames, tool)
        ? (words.toolNames[tool] ?? tool)
        : tool.replaceAll('_', ' '),
      of: (extras) => extras.tools?.[tool],
    }))
}

interface Table {
  readonly model: ShownModel
  readonly offered: readonly Offered[]
  readonly listed: VendorExtras
  readonly extras: readonly Extra[]
  readonly price: (price: number, multiplierMillionths?: number) => Price
}

function tableOf({ model, offered, listed, extras, price }: Table, words: Words): string {
  const multiplierOf = (at: number) => offered[at]?.sale.group.multiplierMillionths ?? 1_000_000
  const rows = offered.map(({ extras: own }, at) =>
    extras.map(({ of }) => {
      const base = of(own)
      return base === undefined ? undefined : price(base, multiplierOf(at))
    }),
  )
  const list = extras.map(({ of }) => {
    const base = of(listed)
    return base === undefined ? undefined : price(base)
  })
  const columns = extras.map(({ name }, at) => ({
    title: name,
    decimals: decimalsOf([...rows, list].map((prices) => prices[at])),
  }))
  const row = (name: string, prices: readonly (Price | undefined)[], className: string) => {
    const cells = columns.map(({ title, decimals }, at) => {
      const price = prices[at]
      return numberCell(title, price ? priceHtml(price, decimals) : noPrice(decimals))
    })
    return `<tr${className}><th scope="row"><bdi>${escapeHtml(name)}</bdi></th>${cells.join('')}</tr>`
  }
  const hasList = list.some((one) => one !== undefined)
  const vendor = model.vendor?.name ?? words.theVendor
  const body = (name: string, prices: readonly (Price | undefined)[], className: string) =>
    `<tbody>${row(name, prices, className)}</tbody>`
  const head =
    `<th scope="col">${words.group}</th>` +
    extras.map(({ name }) => `<th scope="col" class="num">${escapeHtml(name)}</th>`).join('')
  const lists = hasList ? [body(words.vendorsList(vendor), list, ' class="list"')] : []
  const parts = rows.map((prices, at) => body(offered[at]?.sale.group.name ?? '', prices, ''))
  return foldedTable({ head, parts: [...lists, ...parts], open: lists.length + 2 }, words)
}

/** What service tiers multiply, where any group has one; the dearest counts. */
function tiersHtml(offered: readonly Offered[], words: Words): string {
  const factors = new Map<string, number>()
  for (const { extras } of offered) {
    for (const [tier, factor] of Object.entries(extras.serviceTiers ?? {}))
      factors.set(tier, Math.max(factor, factors.get(tier) ?? 0))
  }
  if (factors.size === 0) return ''
  const items = [...factors].map(([tier, factor]) => {
    const times = words.times(formatDecimal(factor, multiplierDecimals))
    return `<li><code>${escapeHtml(tier)}</code> ${times}</li>`
  })
  return `<h3>${words.tierPrices}</h3><p>${words.tierLead}</p><ul>${items.join('')}</ul>`
}
