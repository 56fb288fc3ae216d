import { effectiveRates } from '../../billing/charge.ts'
import { modalityName } from '../../billing/extras.ts'
import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import type { Group, Offer } from '../../catalog/catalog.ts'
import type { PriceRow, PriceTerms, TokenRates } from '../../store/ports/catalog.ts'
import { modalityKinds } from '../../store/ports/extras.ts'

/** Final prices by the names of the feed: decimals without exponent, in USD. */
export type FinalPrices = { readonly [field: string]: string }

/** An entry of the feed (SPEC 2.6) before it is text. */
export interface FeedRow {
  readonly model: string
  readonly group: string
  readonly unit: 'per_1m_tokens' | 'per_call'
  readonly prices: FinalPrices
  readonly enabled: boolean
  readonly note: string
}

/** What the feed says of a model in a group. */
export function feedRow(group: Group, { model, price, candidates }: Offer): FeedRow {
  return {
    model,
    group: group.name,
    unit: price.terms.unit === 'call' ? 'per_call' : 'per_1m_tokens',
    prices: finalPrices(price.terms, group.multiplierMillionths),
    enabled: group.enabled && candidates.length > 0,
    note: noteOf(price, group.multiplierMillionths),
  }
}

/** The operator's remark, and what the price names that the feed has no fields for. */
function noteOf({ note, terms }: PriceRow, multiplierMillionths: number): string {
  const others = extrasNote(terms, multiplierMillionths)
  return others.length === 0 ? note : [...(note === '' ? [] : [note]), ...others].join('; ')
}

const noWords: readonly string[] = []

/**
 * Final prices of what the price names beside text tokens, in words: the feed has no fields for them.
 * `web search 0.008 USD each`.
 */
function extrasNote(terms: PriceTerms, multiplierMillionths: number): readonly string[] {
  if (terms.unit !== 'tokens' && terms.unit !== 'call') return noWords
  const isPlain = terms.unit === 'call' || terms.base.modalities === undefined
  if (terms.extras === undefined && isPlain) return noWords
  const { tools = {}, serviceTiers = {} } = terms.extras ?? {}
  const rates = terms.unit === 'tokens' ? (terms.base.modalities ?? {}) : {}
  const words = (name: string) => name.replaceAll('_', ' ')
  return [
    ...modalityKinds.flatMap((kind) => {
      const usd = rates[kind]
      if (usd === undefined) return []
      const final = times(usd, priceDecimals, multiplierMillionths)
      return [`${words(modalityName(kind))} ${final} USD per 1M tokens`]
    }),
    ...Object.entries(tools).map(([tool, nano]) =>
      nano === 0
        ? `${words(tool)} free`
        : `${words(tool)} ${times(nano, nanoDecimals, multiplierMillionths)} USD each`,
    ),
    ...Object.entries(serviceTiers).map(
      ([tier, factor]) => `service tier ${tier} × ${formatDecimal(factor, multiplierDecimals)}`,
    ),
  ]
}

/**
 * Base prices times the multiplier: exact, which a number of JavaScript is not. What is free on
 * purpose is billed by tokens at 0.
 */
export function finalPrices(terms: PriceTerms, multiplierMillionths: number): FinalPrices {
  if (terms.unit === 'none') throw new Error('A price that was removed is still offered.')
  if (terms.unit === 'call') {
    return { unit_price: times(terms.perCallNano, nanoDecimals, multiplierMillionths) }
  }
  return finalRates(terms.unit === 'free' ? freeRates : terms.base, multiplierMillionths)
}

/** The same for the prices of one tier. */
export function finalRates(rates: TokenRates, multiplierMillionths: number): FinalPrices {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = effectiveRates(rates)
  const per1m = (rate: number) => times(rate, priceDecimals, multiplierMillionths)
  return {
    input_price: per1m(input),
    output_price: per1m(output),
    cache_input_price: per1m(cacheRead),
    cache_create_price: per1m(cacheWrite),
    cache_create_price_1h: per1m(cacheWrite1h),
  }
}

const times = (base: number, decimals: number, multiplierMillionths: number) =>
  formatDecimal(BigInt(base) * BigInt(multiplierMillionths), decimals + multiplierDecimals)

const freeRates = { input: 0, output: 0, cacheRead: null, cacheWrite: null, cacheWrite1h: null }
