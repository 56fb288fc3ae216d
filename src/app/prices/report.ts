import { effectiveRates } from '../../billing/charge.ts'
import { formatDecimal, multiplierDecimals, priceDecimals } from '../../billing/money.ts'
import { priceView } from '../../billing/receipt/view.ts'
import { createContextWindows } from '../../catalog/model-facts.ts'
import { findVendorPrice } from '../../catalog/vendor-prices.ts'
import { extrasView, textRateFields, writtenModalities } from '../../resources/price.ts'
import { toReport } from '../../resources/resource.ts'
import type { CatalogRows, ChannelRow, GroupRow, PriceRow } from '../../store/ports/catalog.ts'
import type { ExtraPrices } from '../../store/ports/extras.ts'

/** A price in JSON reports. `not_set`: rates that use a fallback. */
export function priceReport(row: PriceRow) {
  const { terms, source, note } = row
  const contextWindow = terms.unit === 'tokens' ? terms.contextWindow : undefined
  return {
    ...priceView(row),
    context_window: contextWindow ?? null,
    source,
    note,
    not_set: notSet(row),
  }
}

function notSet({ terms }: PriceRow): readonly string[] {
  if (terms.unit !== 'tokens') return []
  const named = Object.entries(toReport(textRateFields, terms.base))
  return named.flatMap(([name, price]) => (price === null ? [name] : []))
}

/** Who offers and sells a model, and how its upstreams call it. */
export function offersOf(
  model: string,
  channels: readonly ChannelRow[],
  groups: readonly GroupRow[],
) {
  const offering = channels.filter(({ models }) => models.some(({ id }) => id === model))
  const names = new Set(offering.map(({ name }) => name))
  const selling = groups.filter(
    (group) =>
      group.channels.some((name) => names.has(name)) &&
      (group.models.length === 0 || group.models.includes(model)),
  )
  const candidates = offering.flatMap(({ models }) =>
    models.flatMap(({ id, upstream }) => (id === model ? [{ upstreamModel: upstream }] : [])),
  )
  return { offering, selling, candidates }
}

/** A price with its channels and groups, and the vendor's list price. */
export function priceDetails(row: PriceRow, { channels, groups }: CatalogRows) {
  const { offering, selling, candidates } = offersOf(row.model, channels, groups)
  return {
    ...priceReport(row),
    /** As set, else the vendor's; null: unknown. */
    usage_clamped_above: createContextWindows().of(row, candidates),
    channels: offering.map(({ name }) => name),
    groups: selling.map((group) => ({
      name: group.name,
      rate_multiplier: Number(formatDecimal(group.multiplierMillionths, multiplierDecimals)),
      long_context_pricing: group.longContextPricing,
    })),
    vendor: vendorReport(row.model),
  }
}
export type PriceDetails = ReturnType<typeof priceDetails>

function vendorReport(model: string) {
  const found = findVendorPrice(model)
  if (found === undefined) return null
  const { id, vendor, terms, contextWindow, maxOutput, until } = found
  const { input, output } = effectiveRates(terms.base)
  return {
    id,
    vendor,
    input,
    output,
    context_window: contextWindow,
    max_output: maxOutput,
    until,
    besides: [
      ...Object.entries(writtenModalities(terms.base)).map(([name, usd]) => `${name} ${usd}`),
      ...extraWords(terms.extras),
    ],
  }
}

/** Tools and service tiers as texts: `web search 10 per 1,000`. */
export function extraWords(extras: ExtraPrices | undefined): readonly string[] {
  const { tools, service_tiers } = extrasView(extras)
  return [
    ...Object.entries(tools).map(
      ([tool, usd]) => `${tool.replaceAll('_', ' ')} ${usd === 'free' ? usd : `${usd} per 1,000`}`,
    ),
    ...Object.entries(service_tiers).map(([tier, factor]) => `tier ${tier} × ${factor}`),
  ]
}

/** Micro-USD per 1M tokens as decimal USD. */
export const usdPerMillion = (micro: number): string => formatDecimal(micro, priceDecimals)

/** Models that a channel offers and that have no price. Sorted. */
export function modelsWithoutPrice({ channels, prices }: CatalogRows): readonly string[] {
  const priced = new Set(
    prices.filter(({ terms }) => terms.unit !== 'none').map(({ model }) => model),
  )
  const offered = new Set(channels.flatMap(({ models }) => models.map(({ id }) => id)))
  return [...offered].filter((model) => !priced.has(model)).sort()
}
