import type { Catalog } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import { inSlices } from '../../lib/slices.ts'
import { encodeEntries, encodeFeed, type FeedSite } from './document.ts'

/** Where the feed's content comes from; both are read anew for each document. */
export interface FeedSource {
  readonly catalog: () => Pick<Catalog, 'groups'>
  readonly site: () => FeedSite
  readonly clock: Clock
  /** An earlier document whose `updated_at` goes on to hold while the content is the same. */
  readonly earlier?: string | undefined
}

/**
 * A function that writes the feed as it is now. Text is the same, `updated_at` included, for as long
 * as the content is; `inForce` is the text that holds until now, where another node may have written it.
 */
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
    // Clocks of nodes may differ: a newer document is never dated before an older one.
    updatedAtMs = Math.max(now, (updatedAtMs ?? 0) + 1)
    latest = encodeFeed(about, entries, updatedAtMs)
    return latest
  }
}

/** Undefined for a text that no builder wrote. */
function updatedAtOf(document: string): number | undefined {
  const time = Date.parse(/"updated_at":"([^"]*)"/.exec(document)?.[1] ?? '')
  return Number.isNaN(time) ? undefined : time
}
