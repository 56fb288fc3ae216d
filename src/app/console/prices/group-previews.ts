import type { GroupPreview } from '../../../admin/prices/schema.ts'
import { formatDecimal, multiplierDecimals } from '../../../billing/money.ts'
import { buildCatalog, type Catalog, type Group } from '../../../catalog/catalog.ts'
import { feedRow, finalRates } from '../../../site/feed/document.ts'
import type { CatalogRows, PriceRow, PriceTerms } from '../../../store/ports/catalog.ts'

/** A price that is only tried. */
export interface TriedPrice {
  readonly model: string
  readonly terms: PriceTerms
  readonly note: string
}

/** What each group that sells a model charges now, and would charge by another price. */
export function groupPreviews(rows: CatalogRows, tried: TriedPrice): GroupPreview[] {
  const { model } = tried
  const ownRows = withoutOthers(rows, model)
  const before = catalogOf(ownRows)
  const after = catalogOf({ ...ownRows, prices: [{ ...triedRow, ...tried }] })
  return rows.groups.flatMap(({ id, name, multiplierMillionths, longContextPricing }) => {
    const now = soldBy(before, id, model)
    const then = soldBy(after, id, model)
    if (now === null && then === null) return []
    return [
      {
        group: name,
        rate_multiplier: formatDecimal(multiplierMillionths, multiplierDecimals),
        long_context_pricing: longContextPricing,
        before: now,
        after: then,
      },
    ]
  })
}

const triedRow = { id: 0, source: 'operator', validFrom: 0 } satisfies Partial<PriceRow>

/** What has to do with one model: a whole catalog need not be built for it. */
function withoutOthers({ channels, groups, prices }: CatalogRows, model: string): CatalogRows {
  return {
    channels: channels.flatMap((channel) => {
      const models = channel.models.filter(({ id }) => id === model)
      return models.length === 0 ? [] : [{ ...channel, models }]
    }),
    groups,
    prices: prices.filter((row) => row.model === model),
  }
}

/** No keys are opened: nothing is called. */
const catalogOf = (rows: CatalogRows): Catalog =>
  buildCatalog(
    rows,
    () => [],
    () => '',
  )

function soldBy({ groups }: Catalog, groupId: number, model: string): GroupPreview['before'] {
  const group = groups.get(groupId)
  const offer = group?.offers.get(model)
  if (group === undefined || offer === undefined) return null
  const { enabled, note, prices } = feedRow(group, offer)
  return { enabled, note, prices: { ...prices }, tiers: tiersOf(group, offer.price.terms) }
}

/** What long contexts cost: the feed does not tell it. */
const tiersOf = ({ longContextPricing, multiplierMillionths }: Group, terms: PriceTerms) =>
  terms.unit === 'tokens' && longContextPricing
    ? terms.tiers.map((tier) => ({
        above: tier.above,
        prices: { ...finalRates(tier, multiplierMillionths) },
      }))
    : []
