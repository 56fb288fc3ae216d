import type { AvailabilityFigures } from '../../catalog/availability.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import { healthOf, type ModelHealth } from './availability.ts'
import type { Sale, ShownModel } from './models.ts'
import { numberIn, type Price } from './money.ts'
import type { ModelQuery, SortKey } from './query.ts'
import { type Charged, chargedFor, listTiers, savingIn } from './rates.ts'

/** A model as a row: at the prices of the cheapest group, or of the one that was asked for. */
export interface Row {
  readonly model: ShownModel
  readonly sale: Sale
  readonly charged: Charged
  /** The saving beside the vendor's list, in per cent; null: not to be compared. */
  readonly saving: number | null
}

export interface ShownRow extends Row {
  readonly health: ModelHealth
}

/** A model at the prices of one of its sales. */
export function rowOf(model: ShownModel, sale: Sale): Row {
  const charged = chargedFor(sale)
  return { model, sale, charged, saving: savingIn(model, charged) }
}

/** A row with the availability of all the model's groups, or of the one that was asked for. */
export function withHealth(
  row: Row,
  { group }: Pick<ModelQuery, 'group'>,
  figures: AvailabilityFigures,
): ShownRow {
  const groupId = group === '' ? undefined : row.sale.group.id
  return { ...row, health: healthOf(row.model, figures, groupId) }
}

const rowsPerStep = 50

/** The rows that a reader asked for, in order. Yields for `inSlices`. */
export function* findRows(
  models: Iterable<ShownModel>,
  query: ModelQuery,
  figures: AvailabilityFigures,
): Generator<void, readonly Row[]> {
  const rows: Row[] = []
  for (const model of models) {
    const sale = saleFor(model, query)
    if (sale === undefined) continue
    rows.push(rowOf(model, sale))
    if (rows.length % rowsPerStep === 0) yield
  }
  const { sort, isDescending } = query
  if (sort === 'name') return isDescending ? rows.reverse() : rows
  const keyed: { readonly row: Row; readonly key: number | string | null }[] = []
  for (const row of rows) {
    const key = sort === 'now' ? nowKey(withHealth(row, query, figures)) : keyOf(row, sort)
    keyed.push({ row, key })
    if (keyed.length % rowsPerStep === 0) yield
  }
  // Rows without a value come last, whatever the direction; equal ones stay in order of their names.
  keyed.sort(({ key: a }, { key: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    const order = typeof a === 'string' ? compareCodePoints(a, String(b)) : a - Number(b)
    return isDescending ? -order : order
  })
  return keyed.map(({ row }) => row)
}

/** The sale to show; undefined: the model does not match. */
function saleFor(model: ShownModel, query: ModelQuery): Sale | undefined {
  const { q, vendor, group, modality, context } = query
  if (vendor !== '' && model.vendor?.id !== vendor) return undefined
  if (context !== null && (model.contextWindow ?? 0) < context) return undefined
  if (modality && !model.input.includes(modality) && !model.output.includes(modality))
    return undefined
  const words = q.toLowerCase().split(/\s+/)
  const text = `${model.name} ${model.vendor?.name ?? ''}`.toLowerCase()
  if (!words.every((word) => text.includes(word))) return undefined
  const { sales } = model
  return group === '' ? sales[0] : sales.find((one) => one.group.name === group)
}

const nowKey = ({ health }: ShownRow) =>
  health.state === 'no_data' ? null : health.availability['24h'].ratio

function keyOf(row: Row, sort: Exclude<SortKey, 'name' | 'now'>): number | string | null {
  const { model, charged, saving } = row
  switch (sort) {
    case 'vendor':
      return model.vendor?.name ?? null
    case 'context':
      return model.contextWindow
    case 'list':
      return model.list ? numberOf(listTiers(model.list)[0].rates.input) : null
    case 'saving':
      return saving
    default:
      return priceKey(charged, sort)
  }
}

function priceKey(charged: Charged, sort: 'input' | 'cached' | 'output'): number | null {
  if (charged.unit === 'free') return 0
  // A price for each request is no price of tokens.
  if (charged.unit === 'call') return null
  const { input, output, cacheRead } = charged.tiers[0].rates
  return numberOf({ input, output, cached: cacheRead }[sort])
}

const numberOf = (price: Price | null) => (price === null ? null : numberIn(price))
