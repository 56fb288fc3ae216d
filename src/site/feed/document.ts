import { effectiveRates } from '../../billing/charge.ts'
import { modalityName } from '../../billing/extras.ts'
import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import type { Catalog, Group, Offer } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import { inSlices } from '../../lib/slices.ts'
import type { PriceRow, PriceTerms, TokenRates } from '../../store/ports/catalog.ts'
import { modalityKinds } from '../../store/ports/extras.ts'
import { type FeedFailure, schemaVersion } from './schema.ts'

type FinalPrices = { readonly [field: string]: string }

/** What the feed says of a model in a group. */
export function feedRow(group: Group, { model, price, candidates }: Offer) {
  return {
    model,
    group: group.name,
    unit: price.terms.unit === 'call' ? ('per_call' as const) : ('per_1m_tokens' as const),
    prices: finalPrices(price.terms, group.multiplierMillionths),
    enabled: group.enabled && candidates.length > 0,
    note: noteOf(price, group.multiplierMillionths),
  }
}

function noteOf({ note, terms }: PriceRow, multiplierMillionths: number): string {
  const others = extrasNote(terms, multiplierMillionths)
  return others.length === 0 ? note : [...(note === '' ? [] : [note]), ...others].join('; ')
}

const noWords: readonly string[] = []

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

/** Exact base prices times the multiplier. A free model is billed by tokens at 0. */
function finalPrices(terms: PriceTerms, multiplierMillionths: number): FinalPrices {
  if (terms.unit === 'none') throw new Error('A price that was removed is still offered.')
  if (terms.unit === 'call') {
    return { unit_price: times(terms.perCallNano, nanoDecimals, multiplierMillionths) }
  }
  return finalRates(terms.unit === 'free' ? freeRates : terms.base, multiplierMillionths)
}

/** Final prices of one tier. */
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

/** The feed's description of its site. */
export interface FeedSite {
  readonly name: string
  readonly domain: string
  /** The declared currency; the numbers are USD. */
  readonly currency: string
}

/** The feed's entries as JSON, one per model and group. Yields for `inSlices`. */
export function* encodeEntries({ groups }: Pick<Catalog, 'groups'>): Generator<void, string> {
  const entries: string[] = []
  for (const group of sorted(groups.values(), ({ name }) => name)) {
    for (const offer of sorted(group.offers.values(), ({ model }) => model)) {
      entries.push(encodeEntry(group, offer))
      if (entries.length % entriesPerStep === 0) yield
    }
    yield
  }
  return `[${entries.join(',')}]`
}

/** The document around entries of `encodeEntries`. */
export function encodeFeed(site: FeedSite, entries: string, updatedAtMs: number): string {
  const text = JSON.stringify
  return (
    `{"schema_version":${text(schemaVersion)},"success":true,"message":"","data":{` +
    `"currency":${text(site.currency)},"price_unit":"per_1m_tokens",` +
    `"site_name":${text(site.name)},"site_domain":${text(site.domain)},` +
    `"updated_at":${text(isoTime(updatedAtMs))},"models":${entries}}}`
  )
}

/** The document in place of a feed that could not be built. */
export function encodeFailure(message: string): string {
  const failure = { schema_version: schemaVersion, success: false as const, message, data: null }
  return JSON.stringify(failure satisfies FeedFailure)
}

const entriesPerStep = 50

const sorted = <Item>(items: Iterable<Item>, nameOf: (item: Item) => string) =>
  [...items].sort((a, b) => compareCodePoints(nameOf(a), nameOf(b)))

const isoTime = (timeMs: number) => new Date(timeMs).toISOString()

function encodeEntry(group: Group, offer: Offer): string {
  const { model, group: name, enabled, note, prices, unit } = feedRow(group, offer)
  const figures = Object.entries(prices).map(([field, price]) => `"${field}":${price}`)
  const before = unit === 'per_call' ? ['"price_unit":"per_call"'] : []
  return (
    `{"model_name":${JSON.stringify(model)},"group_name":${JSON.stringify(name)},` +
    `${[...before, ...figures].join(',')},` +
    `"enabled":${enabled},"note":${JSON.stringify(note)}}`
  )
}

interface FeedSource {
  readonly catalog: () => Pick<Catalog, 'groups'>
  readonly site: () => FeedSite
  readonly clock: Clock
  /** An earlier document, whose `updated_at` stays while the content is the same. */
  readonly earlier?: string | undefined
}

/** Writes the feed. Unchanged content keeps its text; `inForce` may be another node's text. */
export function createFeedBuilder({ catalog, site, clock, earlier }: FeedSource) {
  let latest = earlier
  let updatedAtMs = earlier === undefined ? undefined : updatedAtOf(earlier)
  return async (inForce?: string): Promise<string> => {
    if (inForce !== undefined && inForce !== latest) {
      latest = inForce
      updatedAtMs = updatedAtOf(inForce)
    }
    const now = clock()
    const about = site()
    const entries = await inSlices(encodeEntries(catalog()))
    const unchanged = updatedAtMs !== undefined && encodeFeed(about, entries, updatedAtMs)
    if (latest !== undefined && unchanged === latest) return latest
    // Clocks of nodes differ, but dates of documents must not go back.
    updatedAtMs = Math.max(now, (updatedAtMs ?? 0) + 1)
    latest = encodeFeed(about, entries, updatedAtMs)
    return latest
  }
}

/** Undefined: not written by a builder. */
function updatedAtOf(document: string): number | undefined {
  const time = Date.parse(/"updated_at":"([^"]*)"/.exec(document)?.[1] ?? '')
  return Number.isNaN(time) ? undefined : time
}
