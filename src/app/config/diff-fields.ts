import { channelFields as definition } from '../../resources/channel.ts'
import { priceDefinitions, priceValues } from '../../resources/price.ts'
import { planFields } from '../../resources/resource.ts'
import type { ChannelSettings, PriceSetting } from '../../store/ports/catalog.ts'

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

/** Fields of a price; a removed one has no terms. */
export function priceFields(price: Omit<PriceSetting, 'model'>): Fields {
  const { note: _, ...terms } = planFields(priceDefinitions[price.terms.unit], priceValues(price))
  return { ...terms, source: price.source, note: price.note }
}
