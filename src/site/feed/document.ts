import type { Catalog, Group, Offer } from '../../catalog/catalog.ts'
import { compareCodePoints } from '../../lib/table.ts'
import { feedRow } from './rows.ts'
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
