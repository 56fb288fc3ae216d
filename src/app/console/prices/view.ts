import type { PriceVersion, PriceView } from '../../../admin/prices/schema.ts'
import { formatDecimal, formatNano, multiplierDecimals } from '../../../billing/money.ts'
import { createContextWindows } from '../../../catalog/model-facts.ts'
import { findVendorPrice } from '../../../catalog/vendor-prices.ts'
import { isoTime } from '../../../lib/format.ts'
import { extrasView, type PriceTermsView, ratesView, tiers } from '../../../resources/price.ts'
import type {
  CatalogRows,
  ChannelRow,
  GroupRow,
  PriceRow,
  PriceTerms,
} from '../../../store/ports/catalog.ts'
import { offersOf } from '../../prices/report.ts'

/** The terms as the console's API returns them. */
function termsView(terms: PriceTerms): PriceTermsView {
  if (terms.unit !== 'tokens' && terms.unit !== 'call') return { unit: terms.unit }
  const extras = extrasView(terms.extras)
  if (terms.unit === 'call')
    return { unit: 'call', per_call: formatNano(terms.perCallNano), ...extras }
  return { unit: 'tokens', ...ratesView(terms.base), tiers: tiers.toView(terms.tiers), ...extras }
}

/** A price with the time from which it holds. */
export const versionView = ({ id, terms, source, note, validFrom }: PriceRow): PriceVersion => ({
  id,
  terms: termsView(terms),
  source,
  note,
  context_window: (terms.unit === 'tokens' ? terms.contextWindow : undefined) ?? null,
  valid_from: isoTime(validFrom),
})

/** Who offers and sells each model; looked up once for a whole list. */
export interface Market {
  readonly prices: ReadonlyMap<string, PriceRow>
  readonly channels: ReadonlyMap<string, readonly ChannelRow[]>
  readonly groups: readonly GroupRow[]
  /** All models that have, or had, a price, or that a channel offers. */
  readonly models: readonly string[]
}

/** Indexes the rows of a catalog by model. */
export function createMarket({ channels, groups, prices }: CatalogRows): Market {
  const offering = new Map<string, ChannelRow[]>()
  for (const channel of channels) {
    for (const { id } of channel.models) {
      const known = offering.getOrInsertComputed(id, () => [])
      if (known.at(-1) !== channel) known.push(channel)
    }
  }
  const byModel = new Map(prices.map((row) => [row.model, row]))
  const models = [...new Set([...byModel.keys(), ...offering.keys()])]
  return { prices: byModel, channels: offering, groups, models }
}

/** Whether a channel offers the model, but it has no price. */
export function isMissing({ prices, channels }: Market, model: string): boolean {
  const row = prices.get(model)
  return channels.has(model) && (row === undefined || row.terms.unit === 'none')
}

/** A model of the market with its price. */
export function priceView(market: Market, model: string, inFile: boolean): PriceView {
  const { prices, channels, groups } = market
  const row = prices.get(model)
  const { offering, selling, candidates } = offersOf(model, channels.get(model) ?? [], groups)
  const vendor = findVendorPrice(model)
  const hasPrice = row !== undefined && row.terms.unit !== 'none'
  return {
    model,
    price: row ? versionView(row) : null,
    is_callable:
      hasPrice &&
      selling.some((group) => group.status === 'active') &&
      offering.some(({ status }) => status !== 'disabled'),
    is_missing: isMissing(market, model),
    in_file: inFile,
    context_window: row ? createContextWindows().of(row, candidates) : null,
    vendor: vendor
      ? {
          id: vendor.id,
          vendor: vendor.vendor,
          terms: termsView(vendor.terms),
          until: vendor.until,
        }
      : null,
    channels: offering.map(({ id, name, status }) => ({ id, name, status })),
    groups: selling.map(groupView),
  }
}

const groupView = ({ id, name, status, multiplierMillionths, longContextPricing }: GroupRow) => ({
  id,
  name,
  rate_multiplier: formatDecimal(multiplierMillionths, multiplierDecimals),
  enabled: status === 'active',
  long_context_pricing: longContextPricing,
})
