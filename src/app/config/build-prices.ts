import { modalityName } from '../../billing/extras.ts'
import {
  multiplierDecimals,
  nanoDecimals,
  parseDecimal,
  priceDecimals,
} from '../../billing/money.ts'
import { parseToolPrice } from '../../resources/values.ts'
import type { PriceSetting, PriceTerms, TokenRates } from '../../store/ports/catalog.ts'
import { type ExtraPrices, modalityKinds } from '../../store/ports/extras.ts'
import type { ConfigFile } from './schema.ts'
import { sure } from './sure.ts'

type Price = NonNullable<ConfigFile['prices']>[string]
type PerCall = Extract<Price, { per_call: unknown }>
type ByTokens = Extract<Price, { input: unknown }>
type Decimal = string | number

/** The prices of a checked file. */
export function buildPrices(prices: ConfigFile['prices']): PriceSetting[] {
  return Object.entries(prices ?? {}).map(([model, price]) => ({
    model,
    terms: buildTerms(price),
    source: 'config',
    note: price.note ?? '',
  }))
}

function buildTerms(price: Price): PriceTerms {
  if ('free' in price) return { unit: 'free' }
  if ('per_call' in price) {
    const perCallNano = sure(parseDecimal(price.per_call, nanoDecimals))
    return { unit: 'call', perCallNano, ...buildExtras(price) }
  }
  const tiers = (price.tiers ?? []).map((tier) => ({ above: tier.above, ...buildRates(tier) }))
  return {
    unit: 'tokens',
    base: buildRates(price),
    tiers,
    ...(price.context_window !== undefined && { contextWindow: price.context_window }),
    ...buildExtras(price),
  }
}

type Rates = Omit<ByTokens, 'tiers' | 'context_window' | 'note' | 'tools' | 'service_tiers'>

function buildRates(rates: Rates): TokenRates {
  const micro = (usd: Decimal) => sure(parseDecimal(usd, priceDecimals))
  const orNull = (usd: Decimal | undefined) => (usd === undefined ? null : micro(usd))
  const others = modalityKinds.flatMap((kind) => {
    const usd = rates[modalityName(kind)]
    return usd === undefined ? [] : [[kind, micro(usd)] as const]
  })
  return {
    input: micro(rates.input),
    output: micro(rates.output),
    cacheRead: orNull(rates.cache_read),
    cacheWrite: orNull(rates.cache_write),
    cacheWrite1h: orNull(rates.cache_write_1h),
    ...(others.length > 0 && { modalities: Object.fromEntries(others) }),
  }
}

/** What a price says beside tokens and calls; nothing for one that says nothing. */
function buildExtras({
  tools = {},
  service_tiers: tiers = {},
}: Pick<PerCall, 'tools' | 'service_tiers'>): { readonly extras?: ExtraPrices } {
  const factor = (text: Decimal) => parseDecimal(text, multiplierDecimals)
  const extras = {
    ...(Object.keys(tools).length > 0 && { tools: read(tools, parseToolPrice) }),
    ...(Object.keys(tiers).length > 0 && { serviceTiers: read(tiers, factor) }),
  }
  return Object.keys(extras).length === 0 ? {} : { extras }
}

const read = (
  prices: { readonly [name: string]: Decimal },
  parse: (text: Decimal) => number | undefined,
) => Object.fromEntries(Object.entries(prices).map(([name, text]) => [name, sure(parse(text))]))
