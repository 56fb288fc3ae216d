import { feedPaths } from './feed/routes.ts'
import type { SiteAddresses } from './public-hosts.ts'
import { statusPagePath } from './status/page/routes.ts'

/**
 * SPEC 4: the feed is on the host of the status page. Its address, from the status page's or the
 * gateway's own; of a status page that is named by its path the feed is beside it.
 */
export function feedUrl(base: string | null): string | null {
  if (base === null) return null
  const { origin, pathname } = new URL(base)
  const path = pathname.replace(/\/+$/, '')
  const above = path.endsWith(statusPagePath) ? path.slice(0, -statusPagePath.length) : path
  return origin + above + feedPaths[0]
}

/** Where the console leads to for the status. The front of a host of the API is the console itself. */
export function statusLink(site: Omit<SiteAddresses, 'priceBackupUrl'>): string {
  const { baseUrl, overseasBaseUrl, statusUrl } = site
  if (statusUrl === null) return statusPagePath
  const { host, pathname } = new URL(statusUrl)
  const api = [baseUrl, overseasBaseUrl].map((url) => url && new URL(url).host)
  return pathname === '/' && api.includes(host) ? statusPagePath : statusUrl
}
