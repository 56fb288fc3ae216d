export type Environment = Readonly<Record<string, string | undefined>>

/** What the proxies that the environment names mean for a call; read once. */
export interface EnvironmentProxy {
  /** `fetch` leaves connecting, and with it looking names up, to a proxy. */
  leads(url: URL): boolean
  /** There is a proxy, for one scheme or the other, and `NO_PROXY` does not have the host. */
  mayLead(url: URL): boolean
}

/** Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, as `fetch` does by itself. */
export function readEnvironmentProxy(env: Environment): EnvironmentProxy {
  const read = (name: string) => env[name] || env[name.toUpperCase()] || ''
  const forAll = read('all_proxy') !== ''
  const byScheme: Readonly<Record<string, boolean>> = {
    'http:': forAll || read('http_proxy') !== '',
    'https:': forAll || read('https_proxy') !== '',
  }
  const hasAny = Object.values(byScheme).includes(true)
  const exempt = read('no_proxy')
    .toLowerCase()
    .split(/[\s,]+/)
  return {
    leads: (url) => byScheme[url.protocol] === true && !isExempt(url, exempt),
    mayLead: (url) => hasAny && !isExempt(url, exempt),
  }
}

/** An entry is a host, a domain that it is in, or `*`; one with a port means that port only. */
function isExempt(url: URL, entries: readonly string[]): boolean {
  const host = url.hostname.replace(/\.$/, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return entries.some((entry) => {
    if (entry === '*') return true
    const domain = entry.replace(/^\*?\./, '').replace(`:${port}`, '')
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
  })
}
