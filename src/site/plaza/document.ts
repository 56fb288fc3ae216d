import { effectiveRates, type TextRates } from '../../billing/charge.ts'
import { modalityName } from '../../billing/extras.ts'
import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import type { Catalog, Group, Offer } from '../../catalog/catalog.ts'
import { offeredExtras } from '../../catalog/vendor-extras.ts'
import { findVendorPrice } from '../../catalog/vendor-prices.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import type { PriceTerms, TokenRates } from '../../store/ports/catalog.ts'
import { modalityKinds, type VendorExtras } from '../../store/ports/extras.ts'

/** A price in micro-USD per 1M tokens counts 10^-12 USD per token. */
const perTokenDecimals = priceDecimals + 6
const significantDigits = 12
const modelsPerStep = 50

/** The plaza as JSON, at base prices. Yields for `inSlices`. */
export function* encodePlaza(
  { groups }: Pick<Catalog, 'groups'>,
  description: string,
): Generator<void, string> {
  const encoded: string[] = []
  for (const group of [...groups.values()].sort(byMultiplierThenName)) {
    const models = group.enabled ? yield* encodeModels(group) : []
    if (models.length > 0) encoded.push(encodeGroup(group, models))
  }
  const data = `{"description":${text(description)},"groups":[${encoded.join(',')}]}`
  return `{"code":0,"message":"success","data":${data}}`
}

const text = JSON.stringify

const byMultiplierThenName = (a: Group, b: Group) =>
  a.multiplierMillionths - b.multiplierMillionths || compareCodePoints(a.name, b.name)

function encodeGroup(group: Group, models: readonly string[]): string {
  const { id, name, description, platform, longContextPricing } = group
  return (
    `{"id":${id},"name":${text(name)},"description":${text(description)},` +
    `"platform":${text(platform)},` +
    `"rate_multiplier":${formatDecimal(group.multiplierMillionths, multiplierDecimals)},` +
    `"long_context_pricing_enabled":${longContextPricing},"models":[${models.join(',')}]}`
  )
}

function* encodeModels(group: Group): Generator<void, string[]> {
  const callable = [...group.offers.values()].filter(({ candidates }) => candidates.length > 0)
  callable.sort((a, b) => compareCodePoints(a.model, b.model))
  const models: string[] = []
  for (const offer of callable) {
    models.push(encodeModel(group, offer))
    if (models.length % modelsPerStep === 0) yield
  }
  yield
  return models
}

function encodeModel({ platform, longContextPricing }: Group, offer: Offer): string {
  const { model, price } = offer
  const vendor = findVendorPrice(model)
  const official = vendor
    ? encodePricing(vendor.terms, (rates) => rates, {
        ...vendor.terms.extras,
        modalities: vendor.terms.base.modalities ?? {},
      })
    : 'null'
  // A group without long-context pricing has no tiers.
  const terms =
    price.terms.unit === 'tokens' && !longContextPricing
      ? { ...price.terms, tiers: [] }
      : price.terms
  return (
    `{"name":${text(model)},"platform":${text(platform)},` +
    `"pricing":${encodePricing(terms, effectiveRates, offeredExtras(offer))},` +
    `"official_pricing":${official}}`
  )
}

/** `show` decides how an unset cache price is written. */
function encodePricing(
  terms: PriceTerms,
  show: (rates: TokenRates) => TokenRates,
  others: VendorExtras,
): string {
  const extras = encodeExtras(others)
  switch (terms.unit) {
    case 'tokens': {
      const base = encodeRates(show(terms.base))
      const intervals = terms.tiers.map((tier, i) => {
        const end = terms.tiers[i + 1]?.above ?? null
        const range = `"min_tokens":${tier.above},"max_tokens":${end}`
        return `{${range},"tier_label":${text(label(tier.above, end))},${encodeRates(show(tier))}}`
      })
      return `{"billing_mode":"token",${base},"intervals":[${intervals.join(',')}],${extras}}`
    }
    case 'free':
      return `{"billing_mode":"token",${encodeRates(freeRates)},"intervals":[],${extras}}`
    case 'call': {
      const perRequest = rounded(terms.perCallNano, nanoDecimals)
      const fields = encodeFields(noRates, perRequest)
      return `{"billing_mode":"per_request",${fields},"intervals":[],${extras}}`
    }
    case 'none':
      throw new Error('A price that was removed is still offered.')
  }
}

function encodeExtras({ modalities = {}, tools = {}, serviceTiers = {} }: VendorExtras): string {
  const list = (prices: object, encode: (price: number) => string) =>
    `{${Object.entries(prices)
      .sort(([a], [b]) => compareCodePoints(a, b))
      .map(([name, price]) => `${text(name)}:${encode(price)}`)
      .join(',')}}`
  const paid = Object.fromEntries(Object.entries(tools).filter(([, nano]) => nano > 0))
  const named = Object.fromEntries(
    modalityKinds.flatMap((kind) => {
      const micro = modalities[kind]
      return micro === undefined ? [] : [[modalityName(kind), micro]]
    }),
  )
  return (
    `"modality_prices":${list(named, (micro) => rounded(micro, perTokenDecimals))},` +
    `"tool_prices":${list(paid, (nano) => rounded(nano, nanoDecimals))},` +
    `"service_tiers":${list(serviceTiers, (factor) => formatDecimal(factor, multiplierDecimals))}`
  )
}

const freeRates = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
const noRates = { input: null, output: null, cacheRead: null, cacheWrite: null, cacheWrite1h: null }

const encodeRates = (rates: TokenRates) => encodeFields(rates, 'null')

function encodeFields(rates: Nullable<TextRates>, perRequest: string): string {
  const usd = (rate: number | null) => (rate === null ? 'null' : rounded(rate, perTokenDecimals))
  return (
    `"input_price":${usd(rates.input)},"output_price":${usd(rates.output)},` +
    `"cache_write_price":${usd(rates.cacheWrite)},` +
    `"cache_write_1h_price":${usd(rates.cacheWrite1h)},` +
    `"cache_read_price":${usd(rates.cacheRead)},"per_request_price":${perRequest}`
  )
}

type Nullable<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | null }

/** Plain decimal of `units` × 10^-`decimals`, rounded half up to the published digits. */
function rounded(units: number, decimals: number): string {
  const surplus = String(units).length - significantDigits
  if (surplus <= 0) return formatDecimal(units, decimals)
  const step = 10n ** BigInt(surplus)
  return formatDecimal(((BigInt(units) + step / 2n) / step) * step, decimals)
}

/** `>200K`, or `200K-500K` where another tier follows. */
function label(above: number, end: number | null): string {
  return end === null ? `>${short(above)}` : `${short(above)}-${short(end)}`
}

function short(tokens: number): string {
  if (tokens % 1_000_000 === 0) return `${tokens / 1_000_000}M`
  return tokens % 1_000 === 0 ? `${tokens / 1_000}K` : String(tokens)
}
