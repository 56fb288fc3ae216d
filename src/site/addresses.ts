import { feedPaths } from './feed/routes.ts'
import { statusPagePath } from './status/routes.ts'

/** Addresses of a site, as its configuration names them; null: not set. */
interface SiteAddresses {
  readonly baseUrl: string | null
  readonly overseasBaseUrl: string | null
  readonly statusUrl: string | null
  readonly priceBackupUrl: string | null
}

/**
 * A function that tells whether a request asks for something that its host does not have. Hosts of
 * the status page and the backup feed that are not hosts of the API serve `publicPaths` only.
 */
export function createHostRule(site: SiteAddresses, publicPaths: readonly string[]) {
  const api = new Set([hostNameOf(site.baseUrl), hostNameOf(site.overseasBaseUrl)])
  const pages = [hostNameOf(site.statusUrl), hostNameOf(site.priceBackupUrl)]
  // Without a base address there is no telling which hosts are not the API's.
  const hosts = new Set(site.baseUrl === null ? [] : pages.filter((host) => !api.has(host)))
  hosts.delete(undefined)
  return ({ headers, url }: Pick<Request, 'headers' | 'url'>): boolean =>
    hosts.size > 0 &&
    hosts.has(bareHost(headers.get('host') ?? '')) &&
    !publicPaths.includes(new URL(url).pathname)
}

/**
 * A function that tells whether a request asks for the front page of the status page's own host:
 * `/` there, where that is no host of the API.
 */
export function createFrontRule(site: SiteAddresses) {
  const host = hostNameOf(site.statusUrl)
  const api = [hostNameOf(site.baseUrl), hostNameOf(site.overseasBaseUrl)]
  const own = host !== undefined && !api.includes(host) ? host : undefined
  return ({ headers, method, url }: Pick<Request, 'headers' | 'method' | 'url'>): boolean =>
    own !== undefined &&
    bareHost(headers.get('host') ?? '') === own &&
    (method === 'GET' || method === 'HEAD') &&
    new URL(url).pathname === '/'
}

const hostNameOf = (url: string | null): string | undefined =>
  url === null ? undefined : bareHost(new URL(url).host)

/** Without port and final dot, in small letters: how hosts are compared. */
const bareHost = (host: string) => host.toLowerCase().replace(/\.?(:\d*)?$/, '')

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
