import type { PlazaDocument } from '../../../site/plaza/schema.ts'
import { fromNumber, multiply } from '../../lib/decimal.ts'

type Group = PlazaDocument['data']['groups'][number]
type Pricing = Group['models'][number]['pricing']
type Prices = Pick<Pricing, `${Item}_price`>

/** What is counted, in the order in which prices are shown. */
export const items = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'per_request',
] as const
export type Item = (typeof items)[number]

/** One price in exact USD: per 1M tokens, or per call. */
export interface Price {
  readonly item: Item
  readonly base: string
  /** Base price times multiplier: what is charged. */
  readonly final: string
  /** The vendor's list price; null: not known. */
  readonly list: string | null
}

/** Prices that hold for a range of context lengths. */
export interface Tier {
  /** Such as `>200K`; null: what holds below all others. */
  readonly label: string | null
  readonly prices: readonly Price[]
}

/** A model as one group sells it. */
export interface PlazaRow {
  readonly model: string
  readonly group: string
  readonly description: string
  readonly platform: string
  readonly multiplier: string
  /** The first is the base tier. */
  readonly tiers: readonly Tier[]
  /** What is billed beside text: final USD, or what a service tier multiplies. */
  readonly extras: {
    readonly modalities: readonly Extra[]
    readonly tools: readonly Extra[]
    readonly serviceTiers: readonly Extra[]
  }
}

/** Such as `web search`, `0.01`. */
type Extra = readonly [name: string, value: string]

const tokensPerUnit = '1000000'

/** All models of all groups: by model, and of a model the cheapest group first. */
export function plazaRows(groups: readonly Group[]): readonly PlazaRow[] {
  const rows = groups.flatMap((group) =>
    group.models.map(({ name, platform, pricing, official_pricing }) => {
      const multiplier = fromNumber(group.rate_multiplier)
      return {
        ...{ model: name, group: group.name, description: group.description, platform, multiplier },
        tiers: tiersOf(pricing, official_pricing, multiplier),
        extras: {
          modalities: extrasOf(pricing.modality_prices, multiply(multiplier, tokensPerUnit)),
          tools: extrasOf(pricing.tool_prices, multiplier),
          serviceTiers: extrasOf(pricing.service_tiers, '1'),
        },
      }
    }),
  )
  // Groups are in order of their multiplier already, and sorting keeps equals in order.
  return rows.sort((a, b) => (a.model < b.model ? -1 : a.model > b.model ? 1 : 0))
}

function tiersOf(pricing: Pricing, official: Pricing | null, multiplier: string): readonly Tier[] {
  const tier = (label: string | null, prices: Prices, list: Prices | null) => ({
    label,
    prices: pricesOf(prices, list, multiplier),
  })
  const others = pricing.intervals.map((one) => {
    const list = official?.intervals.find((other) => other.min_tokens === one.min_tokens)
    return tier(one.tier_label, one, list ?? null)
  })
  return [tier(null, pricing, official), ...others]
}

const extrasOf = (prices: { readonly [name: string]: number }, factor: string): readonly Extra[] =>
  Object.entries(prices).map(([name, price]) => [
    name.replaceAll('_', ' '),
    multiply(fromNumber(price), factor),
  ])

function pricesOf(prices: Prices, list: Prices | null, multiplier: string): readonly Price[] {
  return items.flatMap((item) => {
    const value = prices[`${item}_price`]
    if (value === null) return []
    const base = perUnit(item, value)
    const listed = list?.[`${item}_price`] ?? null
    return [
      {
        ...{ item, base, final: multiply(base, multiplier) },
        list: listed === null ? null : perUnit(item, listed),
      },
    ]
  })
}

/** The document has USD per single token. */
const perUnit = (item: Item, value: number) =>
  item === 'per_request' ? fromNumber(value) : multiply(fromNumber(value), tokensPerUnit)

interface PlazaFilter {
  /** Part of a model's or group's name, in any case. */
  readonly search?: string | undefined
  readonly group?: string | undefined
  /** What one token can call. */
  readonly token?: Caller | undefined
}

/** What a token may call; no models: all of its group. */
interface Caller {
  readonly group: string
  readonly models: readonly string[]
}

/** The rows that fit. */
export function filterRows(rows: readonly PlazaRow[], filter: PlazaFilter): readonly PlazaRow[] {
  const { group, token } = filter
  const search = filter.search?.trim().toLowerCase() ?? ''
  return rows.filter(
    (row) =>
      (group === undefined || row.group === group) &&
      (token === undefined || canCall(token, row)) &&
      [row.model, row.group, row.platform].some((text) => text.toLowerCase().includes(search)),
  )
}

/** Whether a token may call a model as a group sells it. */
export const canCall = (token: Caller, { group, model }: PlazaRow): boolean =>
  token.group === group && (token.models.length === 0 || token.models.includes(model))
