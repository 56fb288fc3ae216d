/** Where a call really goes, and how `fetch` is told. */
export interface Target {
  readonly target: URL
  readonly init: BunFetchRequestInit & {
    readonly headers: Record<string, string>
    readonly tls?: { readonly serverName: string }
  }
}

/**
 * A call with the address in place of the name. The name goes into `Host` and into the TLS greeting,
 * and the certificate has to be the name's. Connections are kept by address and name. The address is
 * no name that `NO_PROXY` has: that no proxy is to be used must be said.
 */
export function pinned(
  url: URL,
  address: string,
  ownHeaders: Readonly<Record<string, string>>,
  isProxied: boolean,
): Target {
  const target = targetAt(url, address)
  const headers = { ...ownHeaders, host: url.host }
  const isNamed = url.protocol === 'https:' && target.hostname !== url.hostname
  const tls = isNamed ? { tls: { serverName: url.hostname.replace(/\.$/, '') } } : {}
  return { target, init: { headers, ...tls, ...(isProxied ? {} : { proxy: false }) } }
}

/** The last one of each address that is called many times. */
const lastTargets = new WeakMap<URL, { readonly address: string; readonly target: URL }>()

function targetAt(url: URL, address: string): URL {
  const known = lastTargets.get(url)
  if (known?.address === address) return known.target
  const target = new URL(url)
  target.hostname = address.includes(':') ? `[${address}]` : address
  lastTargets.set(url, { address, target })
  return target
}
