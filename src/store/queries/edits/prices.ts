import type { PriceRow, PriceSetting, PriceTerms } from '../../ports/catalog.ts'
import type { PriceEdits } from '../../ports/edits.ts'
import type { ExtraPrices } from '../../ports/extras.ts'
import { build } from '../build.ts'
import { readPrice } from '../catalog.ts'
import { first, type Steps } from '../steps.ts'
import { writePrice } from '../write-catalog.ts'
import { type Change, type EditParts, inTransaction, note } from './change.ts'
import { checkSeen } from './revision.ts'

/** Prices by hand: rows are only ever added. */
export function createPriceEdits(parts: EditParts): PriceEdits {
  const set = inTransaction(parts)(setPrice)
  return { setPrice: ({ price, replaces, ...edit }) => set(edit, price, replaces) }
}

function* setPrice(change: Change, price: PriceSetting, replaces: number | null): Steps<PriceRow> {
  const { now } = change
  const { model } = price
  const before = yield* priceInForce(model)
  checkSeen(replaces, before?.id ?? null, `the price of "${model}"`)
  yield* writePrice(price, now)
  const after = yield* priceInForce(model)
  if (after === undefined) throw new Error(`the price of "${model}" was not stored.`)
  if (after.id === before?.id) return after
  const action = price.terms.unit === 'none' ? 'price.remove' : 'price.set'
  const detail = { from: before ? shownPrice(before) : null, to: shownPrice(after) }
  yield* note(change, action, model, detail)
  return after
}

function* priceInForce(model: string): Steps<PriceRow | undefined> {
  const row = yield* first(
    build
      .selectFrom('model_price')
      .selectAll()
      .where('model', '=', model)
      .orderBy('id', 'desc')
      .limit(1),
  )
  return row && readPrice(row)
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
