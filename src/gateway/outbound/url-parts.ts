/** Parts of an address. */
export interface UrlParts {
  readonly protocol: string
  readonly host: string
  readonly hostname: string
  readonly origin: string
  /** Path and query: what a request line names. */
  readonly path: string
}

const known = new WeakMap<URL, UrlParts>()

/** The parts of a `URL` that does not change any more: its own getters write a new text each time. */
export function urlParts(url: URL): UrlParts {
  const before = known.get(url)
  if (before !== undefined) return before
  const { protocol, host, hostname, origin, pathname, search } = url
  const parts = { protocol, host, hostname, origin, path: pathname + search }
  known.set(url, parts)
  return parts
}
