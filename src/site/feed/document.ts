import { effectiveRates } from '../../billing/charge.ts'
import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import type { Catalog, Group, Offer } from '../../catalog/catalog.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import { type FeedFailure, schemaVersion } from './schema.ts'

/** What the feed says about its site. */
export interface FeedSite {
  readonly name: string
  readonly domain: string
  /** The declared currency; the numbers are USD. */
  readonly currency: string
}

/**
 * The entries of the feed as JSON text, one per model and group (CONTRACT 4.6). Yields after each
 * few, for `inSlices`.
 */
export function* encodeEntries({ groups }: Catalog): Generator<void, string> {
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

/** The whole document around entries of `encodeEntries`. */
export function encodeFeed(site: FeedSite, entries: string, updatedAtMs: number): string {
  const text = JSON.stringify
  return (
    `{"schema_version":${text(schemaVersion)},"success":true,"message":"","data":{` +
    `"currency":${text(site.currency)},"price_unit":"per_1m_tokens",` +
    `"site_name":${text(site.name)},"site_domain":${text(site.domain)},` +
    `"updated_at":${text(isoTime(updatedAtMs))},"models":${entries}}}`
  )
}

/** The document that stands for a feed which could not be built (CONTRACT 4.7). */
export function encodeFailure(message: string): string {
  const failure = { schema_version: schemaVersion, success: false as const, message, data: null }
  return JSON.stringify(failure satisfies FeedFailure)
}

const entriesPerStep = 50

const sorted = <Item>(items: Iterable<Item>, nameOf: (item: Item) => string) =>
  [...items].sort((a, b) => compareCodePoints(nameOf(a), nameOf(b)))

const isoTime = (timeMs: number) => new Date(timeMs).toISOString()

function encodeEntry(group: Group, { model, price, candidates }: Offer): string {
  const enabled = group.enabled && candidates.length > 0
  return (
    `{"model_name":${JSON.stringify(model)},"group_name":${JSON.stringify(group.name)},` +
    `${encodePrices(price.terms, group.multiplierMillionths)},` +
    `"enabled":${enabled},"note":${JSON.stringify(price.note)}}`
  )
}

/**
 * Base prices times the multiplier, as decimals without exponent: exact, which a number of
 * JavaScript is not. What is free on purpose is billed by tokens at 0.
 */
function encodePrices(terms: Offer['price']['terms'], multiplier: number): string {
  const final = (base: number, decimals: number) =>
    formatDecimal(BigInt(base) * BigInt(multiplier), decimals + multiplierDecimals)
  if (terms.unit === 'none') throw new Error('A price that was removed is still offered.')
  if (terms.unit === 'call') {
    return `"price_unit":"per_call","unit_price":${final(terms.perCallNano, nanoDecimals)}`
  }
  const rates = effectiveRates(terms.unit === 'free' ? freeRates : terms.base)
  const per1m = (rate: number) => final(rate, priceDecimals)
  return (
    `"input_price":${per1m(rates.input)},"output_price":${per1m(rates.output)},` +
    `"cache_input_price":${per1m(rates.cacheRead)},` +
    `"cache_create_price":${per1m(rates.cacheWrite)},` +
    `"cache_create_price_1h":${per1m(rates.cacheWrite1h)}`
  )
}

const freeRates = { input: 0, output: 0, cacheRead: null, cacheWrite: null, cacheWrite1h: null }
