import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import { buildCatalog, type Group, type Offer } from '../../catalog/catalog.ts'
import { isoTime } from '../../lib/format.ts'
import { groupFields } from '../../resources/group.ts'
import { toView } from '../../resources/resource.ts'
import type { PriceTerms } from '../../store/ports/catalog.ts'
import {
  type EditableCatalog,
  type EditableGroup,
  mostTokensCounted,
} from '../../store/ports/edits.ts'
import type { Remark } from '../refusals.ts'
import type { GroupItem, GroupView, PriceExample } from './schema.ts'

const shownModels = 1_000

/** Views of groups with their offers, computed once for a list. */
export function createGroupViews(catalog: EditableCatalog, inFile: ReadonlySet<string>) {
  const built = buildCatalog(
    catalog,
    () => [],
    () => '',
  ).groups
  const ids = new Map(catalog.channels.map(({ id, name }) => [name, id]))
  const modelsOf = new Map(
    catalog.channels.map(({ name, models }) => [name, models.map(({ id }) => id)]),
  )

  /** Callable models, and models without a price. */
  function split(row: EditableGroup) {
    const group = built.get(row.id)
    const allowed = row.models.length > 0 ? new Set(row.models) : undefined
    const models = new Set(row.channels.flatMap((name) => modelsOf.get(name) ?? []))
    const wanted = [...models].filter((id) => allowed?.has(id) !== false)
    return {
      callable: callableOf(group),
      unpriced: wanted.filter((id) => !group?.offers.has(id)),
    }
  }

  function item(row: EditableGroup, { callable, unpriced } = split(row)): GroupItem {
    const { status, description, platform, rate_multiplier } = toView(groupFields, row)
    return {
      ...{ id: row.id, name: row.name, status, description, platform, rate_multiplier },
      channels: row.channels.map((name) => ({ id: ids.get(name) ?? 0, name })),
      tokens: row.tokenCount,
      tokens_is_exact: row.tokenCount < mostTokensCounted,
      offers: callable.length,
      without_price: unpriced.length,
      in_file: inFile.has(row.name),
    }
  }

  return {
    item: (row: EditableGroup) => item(row),
    whole(row: EditableGroup, warnings: readonly Remark[]): GroupView {
      const parts = split(row)
      return {
        ...toView(groupFields, row),
        ...item(row, parts),
        offered_models: parts.callable.toSorted().slice(0, shownModels),
        models_without_price: parts.unpriced.toSorted().slice(0, shownModels),
        created_at: isoTime(row.createdAt),
        revision: row.revision,
        warnings: [...warnings],
      }
    },
    offersOf: (id: number) => built.get(id)?.offers.values() ?? [],
  }
}

const callableOf = (group: Group | undefined) =>
  [...(group?.offers.values() ?? [])]
    .filter(({ candidates }) => candidates.length > 0)
    .map(({ model }) => model)

const shownExamples = 5

/** The prices that another multiplier (in millionths) changes. */
export function effectOf(
  offers: Iterable<Offer>,
  now: number,
  then: number,
): { readonly changed: number; readonly examples: PriceExample[] } {
  let changed = 0
  const examples: PriceExample[] = []
  for (const { model, price } of offers) {
    const unit = price.terms.unit === 'call' ? 'call' : 'tokens'
    const [before, after] = [pricesOf(price.terms, now), pricesOf(price.terms, then)]
    if (before.every((one, i) => one === after[i])) continue
    changed++
    if (examples.length < shownExamples) examples.push({ model, unit, now: before, after })
  }
  return { changed, examples }
}

/** Input and output per 1M tokens, or the price of a call; empty for free models. */
function pricesOf(terms: PriceTerms, multiplier: number): string[] {
  const times = (value: number, decimals: number) =>
    formatDecimal(BigInt(value) * BigInt(multiplier), decimals + multiplierDecimals)
  switch (terms.unit) {
    case 'tokens':
      return [times(terms.base.input, priceDecimals), times(terms.base.output, priceDecimals)]
    case 'call':
      return [times(terms.perCallNano, nanoDecimals)]
    default:
      return []
  }
}
