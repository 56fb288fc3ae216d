import { writtenExtras, writtenRates } from '../../billing/extras.ts'
import { formatNano } from '../../billing/money.ts'
import { channelFields as definition } from '../../resources/channel.ts'
import { planFields } from '../../resources/resource.ts'
import type {
  ChannelSettings,
  PriceSetting,
  PriceTerms,
  TokenRates,
} from '../../store/ports/catalog.ts'
import type { ExtraPrices } from '../../store/ports/extras.ts'

/** A thing's fields in the words and units of tollgate.yaml. Equal texts mean equal values. */
export type Fields = { readonly [field: string]: string }

/** One field that differs; null: not there on that side. */
export interface FieldChange {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
}

/** The fields in which two things differ, in the order of `to`. */
export function compareFields(from: Fields, to: Fields): FieldChange[] {
  const names = new Set([...Object.keys(to), ...Object.keys(from)])
  return [...names]
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }))
    .filter((change) => change.from !== change.to)
}

/** Fields of a channel, but for its keys and its proxy. */
export const channelFields = (channel: ChannelSettings): Fields => ({
  enabled: String(channel.status !== 'disabled'),
  drain: String(channel.status === 'draining'),
  ...planFields(definition, channel),
})

/** Fields of a price. */
export function priceFields({ terms, source, note }: Omit<PriceSetting, 'model'>): Fields {
  return { ...termsFields(terms), source, note }
}

/** None for a price that was removed. */
function termsFields(terms: PriceTerms): Fields {
  switch (terms.unit) {
    case 'tokens':
      return Object.assign(
        rateFields('', terms.base),
        ...terms.tiers.map((tier) => rateFields(`above ${tier.above}: `, tier)),
        terms.contextWindow === undefined ? {} : { context_window: String(terms.contextWindow) },
        extraFields(terms.extras),
      )
    case 'call':
      return { per_call: formatNano(terms.perCallNano), ...extraFields(terms.extras) }
    case 'free':
      return { free: 'true' }
    case 'none':
      return {}
  }
}

const rateFields = (prefix: string, rates: TokenRates): Fields =>
  Object.fromEntries(Object.entries(writtenRates(rates)).map(([name, usd]) => [prefix + name, usd]))

const extraFields = (extras: ExtraPrices | undefined): Fields =>
  Object.fromEntries(
    Object.entries(writtenExtras(extras)).flatMap(([part, prices]) =>
      Object.entries(prices).map(([name, price]) => [`${part}.${name}`, price]),
    ),
  )
