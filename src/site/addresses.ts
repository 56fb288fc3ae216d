import { feedPaths, statusPagePath } from './routes.ts'

type SiteAddresses = Readonly<
  Record<'baseUrl' | 'overseasBaseUrl' | 'statusUrl' | 'priceBackupUrl', string | null>
>

type Asked = Pick<Request, 'headers' | 'method' | 'url'>

/** Host rules of status page and feed. `isHidden`: not public there. `isFront`: the status page. */
export function createHostRules(site: SiteAddresses, publicPaths: readonly string[]) {
  const { baseUrl, statusUrl } = site
  const api = new Set([baseUrl, site.overseasBaseUrl].map(hostNameOf))
  const isOwn = (host: string | undefined) => host !== undefined && !api.has(host)
  // Without a base address the API's own hosts are unknown.
  const pages = baseUrl === null ? [] : [statusUrl, site.priceBackupUrl].map(hostNameOf)
  const hosts = new Set(pages.filter(isOwn))
  const statusHost = hostNameOf(statusUrl)
  const hostOf = ({ headers }: Pick<Asked, 'headers'>) => bareHost(headers.get('host') ?? '')
  return {
    /** Whether the status page has a host of its own, which shows nothing else. */
    isApart: statusHost !== undefined && hosts.has(statusHost),
    isHidden: (request: Pick<Asked, 'headers' | 'url'>): boolean =>
      hosts.size > 0 &&
      hosts.has(hostOf(request)) &&
      !publicPaths.includes(new URL(request.url).pathname),
    isFront: (request: Asked): boolean =>
      isOwn(statusHost) &&
      hostOf(request) === statusHost &&
      (request.method === 'GET' || request.method === 'HEAD') &&
      new URL(request.url).pathname === '/',
  }
}

const hostNameOf = (url: string | null): string | undefined =>
  url === null ? undefined : bareHost(new URL(url).host)

/** A host for comparison: without port and final dot, in lower case. */
const bareHost = (host: string) => host.toLowerCase().replace(/\.?(:\d*)?$/, '')

/** The feed's address, beside the status page or on the gateway's own address. */
export function feedUrl(base: string | null): string | null {
  if (base === null) return null
  const { origin, pathname } = new URL(base)
  const path = pathname.replace(/\/+$/, '')
  const above = path.endsWith(statusPagePath) ? path.slice(0, -statusPagePath.length) : path
  return origin + above + feedPaths[0]
}

/** The console's link to the status. On a host of the API the root is the console itself. */
export function statusLink(site: Omit<SiteAddresses, 'priceBackupUrl'>): string {
  const { baseUrl, overseasBaseUrl, statusUrl } = site
  if (statusUrl === null) return statusPagePath
  const { host, pathname } = new URL(statusUrl)
  const api = [baseUrl, overseasBaseUrl].map((url) => url && new URL(url).host)
  return pathname === '/' && api.includes(host) ? statusPagePath : statusUrl
}
