import { ApiError } from '../../../admin/api-error.ts'
import type { GroupPreview, SimulationView } from '../../../admin/prices/schema.ts'
import { formatDecimal, formatNano, multiplierDecimals } from '../../../billing/money.ts'
import { buildCatalog, type Catalog, type Group } from '../../../catalog/catalog.ts'
import { isoTime } from '../../../lib/format.ts'
import { feedRow, finalRates } from '../../../site/feed/document.ts'
import type {
  CatalogRows,
  CatalogStore,
  PriceRow,
  PriceTerms,
} from '../../../store/ports/catalog.ts'
import { type SimulatedRequest, simulate } from '../../prices/simulate.ts'

/** Requests of a model since a time, in the order in which they ended. */
export type RequestsOf = (model: string, since: number) => AsyncIterable<SimulatedRequest>

interface Trial {
  readonly catalog: Pick<CatalogStore, 'load'>
  readonly requestsOf: RequestsOf
  readonly tried: TriedPrice
  readonly since: number
}

/** The most requests that can be compared within some seconds. */
const mostRequests = 200_000

/** What the requests of a model would have cost by another price. */
export async function tryPrice({
  catalog,
  requestsOf,
  tried,
  since,
}: Trial): Promise<Omit<SimulationView, 'groups'>> {
  const { model, terms } = tried
  if (terms.unit === 'none') throw new ApiError('invalid_value', 'This is no price.')
  let isComplete = true
  async function* bounded() {
    let left = mostRequests
    for await (const request of requestsOf(model, since)) {
      if (left-- === 0) {
        isComplete = false
        return
      }
      yield request
    }
  }
  const { total, not_compared } = await simulate(
    { catalog, records: { exportRequests: bounded } },
    {
      since,
      list: {
        form: 'catalog',
        models: [model],
        find: (asked) => (asked === model ? { terms, rounded: false } : undefined),
      },
    },
  )
  return {
    since: isoTime(since),
    requests: total.requests,
    charged: formatNano(total.charged_nano),
    simulated: formatNano(total.simulated_nano),
    difference: formatNano(total.difference_nano),
    percent: total.percent,
    not_compared: not_compared.without_usage,
    is_complete: isComplete,
  }
}

interface TriedPrice {
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

/** The rows of one model: the whole catalog need not be built for it. */
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

/** A catalog that opens no keys. */
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

const tiersOf = ({ longContextPricing, multiplierMillionths }: Group, terms: PriceTerms) =>
  terms.unit === 'tokens' && longContextPricing
    ? terms.tiers.map((tier) => ({
        above: tier.above,
        prices: { ...finalRates(tier, multiplierMillionths) },
      }))
    : []
