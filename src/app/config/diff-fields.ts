import { writtenExtras, writtenModalities } from '../../billing/extras.ts'
import {
  formatDecimal,
  formatNano,
  multiplierDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import { formatDurationMs } from '../../lib/format.ts'
import { channelFields as sharedOfChannel } from '../../resources/channel.ts'
import { groupFields as sharedOfGroup } from '../../resources/group.ts'
import { planFields } from '../../resources/resource.ts'
import type {
  ChannelSettings,
  GroupSettings,
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

/** A list whose order has no meaning, as the file may say it. */
const set = (items: readonly (string | object)[]) =>
  `[${items
    .map((item) => JSON.stringify(item))
    .toSorted()
    .join(',')}]`

/** Fields of a channel, but for its keys and its proxy. */
export function channelFields(channel: ChannelSettings): Fields {
  const { timeouts, probe } = channel
  return {
    enabled: String(channel.status !== 'disabled'),
    drain: String(channel.status === 'draining'),
    ...Object.fromEntries(
      Object.entries(channel.speaks).map(([protocol, base]) => [`speaks.${protocol}`, base]),
    ),
    models: set(
      channel.models.map(({ id, upstream }) => (id === upstream ? id : { id, upstream })),
    ),
    priority: String(channel.priority),
    weight: String(channel.weight),
    'timeouts.connect': formatDurationMs(timeouts.connectMs),
    'timeouts.first_byte': formatDurationMs(timeouts.firstByteMs),
    'timeouts.idle': formatDurationMs(timeouts.idleMs),
    'timeouts.total': formatDurationMs(timeouts.totalMs),
    quirks: set(channel.quirks),
    ...planFields(sharedOfChannel, channel),
    ...(probe && {
      'probe.every': formatDurationMs(probe.everyMs),
      'probe.model': String(probe.model),
    }),
  }
}

/** Fields of a group. */
export function groupFields(group: GroupSettings): Fields {
  return {
    description: group.description,
    platform: group.platform,
    rate_multiplier: formatDecimal(group.multiplierMillionths, multiplierDecimals),
    channels: set(group.channels),
    models: set(group.models),
    long_context_pricing: String(group.longContextPricing),
    ...planFields(sharedOfGroup, group),
    accounts: group.accounts === null ? 'all' : set(group.accounts),
    tools: group.tools === null ? 'all' : set(group.tools),
  }
}

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

function rateFields(prefix: string, rates: TokenRates): Fields {
  const named = {
    input: rates.input,
    output: rates.output,
    cache_read: rates.cacheRead,
    cache_write: rates.cacheWrite,
    cache_write_1h: rates.cacheWrite1h,
  }
  const others = Object.entries(writtenModalities(rates))
  return Object.fromEntries([
    ...Object.entries(named).flatMap(([name, micro]) =>
      micro === null ? [] : [[prefix + name, formatDecimal(micro, priceDecimals)]],
    ),
    ...others.map(([name, usd]) => [prefix + name, usd]),
  ])
}

const extraFields = (extras: ExtraPrices | undefined): Fields =>
  Object.fromEntries(
    Object.entries(writtenExtras(extras)).flatMap(([part, prices]) =>
      Object.entries(prices).map(([name, price]) => [`${part}.${name}`, price]),
    ),
  )
