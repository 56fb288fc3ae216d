import { type PriceWrite, WriteRefused } from '../ports/admin.ts'
import type { PriceRow, PriceSetting, PriceTerms, TokenRates } from '../ports/catalog.ts'
import type { ExtraPrices } from '../ports/extras.ts'
import { parseColumn } from '../schema/columns.ts'
import { sql } from '../schema/sql.ts'
import { type Change, checkSeen, note } from './changes.ts'
import { all, first, insert, one, type Steps } from './steps.ts'

interface StoredPrice extends Omit<PriceSetting, 'terms'> {
  readonly id: number
  readonly terms: string
  readonly valid_from: number
}

/** Steps from model to model by the index, so that a long history of prices costs nothing. */
const pricesInForce = sql<StoredPrice>`
  WITH RECURSIVE priced (model) AS (
    SELECT min(model) FROM model_price
    UNION ALL
    SELECT (SELECT min(model) FROM model_price WHERE model > priced.model)
    FROM priced WHERE priced.model IS NOT NULL
  )
  SELECT price.* FROM priced JOIN model_price AS price ON price.id =
    (SELECT max(id) FROM model_price WHERE model_price.model = priced.model)
  ORDER BY price.model`

/** The prices in force, by model. */
export function* loadPrices(): Steps<PriceRow[]> {
  return (yield* all(pricesInForce)).map(readPrice)
}

export function* findPrice(id: number): Steps<PriceRow | undefined> {
  const row = yield* first(sql<StoredPrice>`SELECT * FROM model_price WHERE id = ${id}`)
  return row && readPrice(row)
}

function readPrice(row: StoredPrice): PriceRow {
  const { id, model, source, note } = row
  const terms = parseColumn<PriceTerms>(row.terms)
  return { id, model, terms, source, note, validFrom: row.valid_from }
}

/** Every price that a model, or any, ever had; oldest first. */
export function* loadPriceHistory(model?: string): Steps<PriceRow[]> {
  const asked = model === undefined ? sql`` : sql`WHERE model = ${model}`
  return (yield* all(sql<StoredPrice>`SELECT * FROM model_price ${asked} ORDER BY id`)).map(
    readPrice,
  )
}

// `JSON.stringify` omits undefined fields.
function ratesInOrder(rates: TokenRates) {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = rates
  const modalities = sorted(rates.modalities)
  return { input, output, cacheRead, cacheWrite, cacheWrite1h, modalities }
}

function extrasInOrder({ tools, serviceTiers }: ExtraPrices = {}) {
  const extras = { tools: sorted(tools), serviceTiers: sorted(serviceTiers) }
  return extras.tools || extras.serviceTiers ? extras : undefined
}

/** By name; nothing for a list without entries. */
function sorted(prices: { readonly [name: string]: number } = {}) {
  const entries = Object.entries(prices).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Terms as text: equal terms are equal texts, whatever the order of their fields. */
function termsText(terms: PriceTerms): string {
  switch (terms.unit) {
    case 'tokens': {
      const { unit, base, contextWindow } = terms
      const tiers = terms.tiers.map((tier) => ({ above: tier.above, ...ratesInOrder(tier) }))
      const extras = extrasInOrder(terms.extras)
      return JSON.stringify({ unit, base: ratesInOrder(base), tiers, contextWindow, extras })
    }
    case 'call':
      return JSON.stringify({
        unit: terms.unit,
        perCallNano: terms.perCallNano,
        extras: extrasInOrder(terms.extras),
      })
    default:
      return JSON.stringify({ unit: terms.unit })
  }
}

const inForce = (model: string) => sql<StoredPrice>`
  SELECT * FROM model_price WHERE model = ${model} ORDER BY id DESC LIMIT 1`

/** Adds a price that holds from now on, unless it is the one in force or replaces another one. */
export function* writePrice(price: PriceWrite, now: number): Steps<void> {
  const { model, source, note, replaces } = price
  const terms = termsText(price.terms)
  const present = yield* first(inForce(model))
  if (replaces !== undefined && replaces !== (present?.id ?? null)) return
  if (present?.terms === terms && present.source === source && present.note === note) return
  yield* insert('model_price', { model, terms, source, note, valid_from: now })
}

/** Ends a model's price with a new row: nothing is overwritten. */
export function* removePrice(model: string, now: number): Steps<void> {
  const present = yield* first(inForce(model))
  if (present === undefined || present.terms === termsText({ unit: 'none' })) {
    throw new WriteRefused(`model "${model}" has no price that could be removed`)
  }
  yield* writePrice({ model, terms: { unit: 'none' }, source: present.source, note: '' }, now)
}

/** Puts a price in force by hand: rows are only ever added. */
export function* setPrice(
  change: Change,
  price: PriceSetting,
  replaces: number | null,
): Steps<PriceRow> {
  const { now } = change
  const { model } = price
  const former = yield* first(inForce(model))
  const before = former && readPrice(former)
  checkSeen(replaces, before?.id ?? null, `the price of "${model}"`)
  yield* writePrice(price, now)
  const after = readPrice(yield* one(inForce(model)))
  if (after.id === before?.id) return after
  const action = price.terms.unit === 'none' ? 'price.remove' : 'price.set'
  const detail = { from: before ? shownPrice(before) : null, to: shownPrice(after) }
  yield* note(change, action, model, detail)
  return after
}

/** Figures in the units that they are stored in: micro-USD per 1M tokens, nano-USD per call. */
export function shownPrice({ id, terms, source, note }: PriceRow): {
  readonly [name: string]: unknown
} {
  return { id, source, ...(note !== '' && { note }), ...flat(terms) }
}

function flat(terms: PriceTerms) {
  if (terms.unit !== 'tokens' && terms.unit !== 'call') return terms
  const { extras, ...rest } = terms
  const others = flatExtras(extras)
  if (rest.unit === 'call') return { ...rest, ...others }
  const { modalities, ...text } = rest.base
  return {
    ...{ unit: rest.unit, ...text, ...modalities },
    ...(rest.tiers.length > 0 && { tiers: rest.tiers }),
    ...others,
  }
}

/** Units end the names. */
const flatExtras = ({ tools = {}, serviceTiers = {} }: ExtraPrices = {}) =>
  Object.fromEntries([
    ...Object.entries(tools).map(([tool, nano]) => [`${tool}_nano`, nano]),
    ...Object.entries(serviceTiers).map(([tier, factor]) => [`tier_${tier}_millionths`, factor]),
  ])
