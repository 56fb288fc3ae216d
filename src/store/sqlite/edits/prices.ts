import type { PriceRow, PriceTerms } from '../../ports/catalog.ts'
import type { PriceEdit, PriceEdits } from '../../ports/price-edits.ts'
import { addAudit } from '../audit.ts'
import { readPrice } from '../catalog.ts'
import type { Queries } from '../queries.ts'
import { writePrice } from '../write-catalog.ts'
import type { EditParts } from './edits.ts'
import { checkSeen } from './revision.ts'

/** Prices by hand: rows are only ever added. */
export function createPriceEdits({ db, queries, clock, access }: EditParts): PriceEdits {
  const set = db.transaction(setPriceNow)
  return { setPrice: (edit) => access(() => set.immediate(queries, edit, clock())) }
}

function setPriceNow(
  queries: Queries,
  { price, replaces, actor }: PriceEdit,
  now: number,
): PriceRow {
  const { model } = price
  const before = priceInForce(queries, model)
  checkSeen(replaces, before?.id ?? null, `The price of "${model}"`)
  writePrice(queries, price, now)
  const after = priceInForce(queries, model)
  if (after === undefined) throw new Error(`The price of "${model}" was not stored.`)
  if (after.id === before?.id) return after
  const action = price.terms.unit === 'none' ? 'price.remove' : 'price.set'
  const detail = { from: before ? shown(before) : null, to: shown(after) }
  addAudit(queries, { createdAt: now, actor, action, subject: model, detail })
  return after
}

function priceInForce({ build, first }: Queries, model: string): PriceRow | undefined {
  const row = first(
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
function shown({ id, terms, source, note }: PriceRow): { readonly [name: string]: unknown } {
  return { id, source, ...(note !== '' && { note }), ...flat(terms) }
}

const flat = (terms: PriceTerms) =>
  terms.unit === 'tokens'
    ? { unit: terms.unit, ...terms.base, ...(terms.tiers.length > 0 && { tiers: terms.tiers }) }
    : terms
