import { connect, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net'
import { unescape as decodePercent } from 'node:querystring'
import { connect as connectTls } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { entryLimit, expiresAfter } from '../../lib/cache-options.ts'
import { afterRunning } from '../../lib/clock.ts'
import { urlParts } from './url-parts.ts'

/** The connection took longer than the channel's limit. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout'
}

/** How long a reachable host is trusted: connections are kept and used again. */
export const knownMs = 60_000

/** Dials hosts that were silent for a minute: `fetch` has no connect timeout. */
export function createDialer(env: Environment) {
  /** An empty address: any of its name. */
  const known = new LRUCache<string, { readonly address: string; answeredTick: number }>(
    entryLimit(10_000),
  )
  const proxy = readEnvironmentProxy(env)

  async function find(url: URL, limitMs: number, addresses?: readonly string[]): Promise<string> {
    const address = await dial(url, limitMs, addresses)
    answered(url, address)
    return address
  }

  function answered(url: URL, address = ''): void {
    const { host } = urlParts(url)
    const before = known.get(host)
    if (before?.address === address) before.answeredTick = performance.now()
    else known.set(host, { address, answeredTick: performance.now() })
  }

  function lately(url: URL): string | undefined {
    const host = known.get(urlParts(url).host)
    return host && performance.now() - host.answeredTick < knownMs ? host.address : undefined
  }

  return {
    /** A reachable address, undefined behind a proxy. Throws `ConnectTimeout`, or a socket error. */
    reach(
      url: URL,
      limitMs: number,
      addresses?: readonly string[],
    ): string | undefined | Promise<string> {
      if (proxy.mayLead(url)) return undefined
      const before = lately(url)
      const isKnown = before !== undefined && addresses?.includes(before) !== false
      return isKnown ? before : find(url, limitMs, addresses)
    },
    answered,
    /** A call to the host has failed: it is dialled again before the next one. */
    lost(url: URL): void {
      known.delete(url.host)
    },
  }
}

async function dial(url: URL, limitMs: number, addresses?: readonly string[]): Promise<string> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // Several addresses are tried one after the other, each for a moment.
  const lookup = addresses && { lookup: answering(addresses), autoSelectFamily: true }
  const socket = connect({ host, port, ...lookup })
  return await new Promise<string>((resolve, reject) => {
    const callOff = afterRunning(limitMs, () => reject(new ConnectTimeout('no connection in time')))
    socket.once('connect', () => {
      callOff()
      resolve(socket.remoteAddress ?? host)
    })
    socket.once('error', (error) => {
      callOff()
      reject(error)
    })
  }).finally(() => socket.destroy())
}

/** A lookup that returns known addresses. */
function answering(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, _options, callback) => callback(null, found)
}

export interface Target {
  readonly target: URL
  readonly init: BunFetchRequestInit & {
    readonly headers: Record<string, string>
    readonly tls?: { readonly serverName: string }
  }
}

/** A call to an address in place of a name; `NO_PROXY` does not know the address. */
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

const lastTargets = new WeakMap<URL, { readonly address: string; readonly target: URL }>()

function targetAt(url: URL, address: string): URL {
  const known = lastTargets.get(url)
  if (known?.address === address) return known.target
  const target = new URL(url)
  target.hostname = address.includes(':') ? `[${address}]` : address
  lastTargets.set(url, { address, target })
  return target
}

/** Answers only inside Azure, with what its machines may know, from a public range. */
const azureHostService = '168.63.129.16'

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Public addresses; of IPv6, 2000::/3 (IANA) without embedded private IPv4 addresses. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === azureHostService) return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}

/** Whether a host is plainly private, without a lookup. */
export function isPrivateHost(hostname: string): boolean {
  const host = bareHost(hostname)
  return ipaddr.isValid(host) ? !isPublic(host) : /(^|\.)localhost\.?$/.test(host)
}

/** Without the brackets that a URL puts around IPv6. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` like `fetch`. */
export function readEnvironmentProxy(env: Environment) {
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
    /** `fetch` leaves connecting and name lookups to a proxy. */
    leads: (url: URL): boolean =>
      byScheme[urlParts(url).protocol] === true && !isExempt(url, exempt),
    mayLead: (url: URL): boolean => hasAny && !isExempt(url, exempt),
  }
}

/** An entry is a host, a parent domain, or `*`; one with a port means that port only. */
function isExempt(url: URL, entries: readonly string[]): boolean {
  const host = url.hostname.replace(/\.$/, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return entries.some((entry) => {
    if (entry === '*') return true
    const domain = entry.replace(/^\*?\./, '').replace(`:${port}`, '')
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
  })
}

/** A proxy rejects a call: a wrong password, or an unreachable host. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused'
  readonly code = 'ERR_PROXY_TUNNEL'
}

/** As `createDialer`, for proxies: `fetch` waits for them without a limit. */
export function createProxyDialer() {
  const known = new LRUCache<string, true>({ ...entryLimit(10_000), ...expiresAfter(knownMs) })
  return {
    /** Throws `ConnectTimeout`, `ProxyRefused` or the socket's error, without the password. */
    async reach(url: URL, proxy: URL, limitMs: number): Promise<void> {
      if (known.has(wayOf(url, proxy))) return
      await dialBy(url, proxy, limitMs)
      known.set(wayOf(url, proxy), true)
    },
    answered(url: URL, proxy: URL): void {
      known.set(wayOf(url, proxy), true)
    },
    /** A call by this proxy has failed: both are dialled again before the next one. */
    lost(url: URL, proxy: URL): void {
      known.delete(wayOf(url, proxy))
    },
  }
}

const wayOf = (url: URL, proxy: URL) => `${proxy.href} ${url.origin}`

const longestLine = 8_192

async function dialBy(url: URL, proxy: URL, limitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const callOff = afterRunning(limitMs, () => reject(new ConnectTimeout('no connection in time')))
  const needsTunnel = url.protocol === 'https:'
  const socket = open(proxy, () => {
    if (needsTunnel) socket.write(tunnelRequest(url, proxy))
    else resolve()
  })
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1')
    if (!answer.includes('\n') && answer.length < longestLine) return
    const status = /^HTTP\/1\.[01] (\d{3})\b/.exec(answer)?.[1]
    if (status?.startsWith('2')) resolve()
    else reject(new ProxyRefused(`the proxy opens no tunnel: ${status ?? 'no HTTP answer'}`))
  })
  socket.on('error', reject)
  socket.on('close', () => reject(new ProxyRefused('the proxy closed the connection')))
  return await promise.finally(() => {
    callOff()
    socket.destroy()
  })
}

function open(proxy: URL, onOpen: () => void): Socket {
  const host = proxy.hostname.replace(/^\[|\]$/g, '')
  if (proxy.protocol === 'http:') {
    return connect({ host, port: Number(proxy.port || 80) }, onOpen)
  }
  const name = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ host, port: Number(proxy.port || 443), ...name }, onOpen)
}

function tunnelRequest(url: URL, proxy: URL): string {
  const target = `${url.hostname}:${url.port || 443}`
  const head = `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n`
  const login = Buffer.from(proxyLogin(proxy)).toString('base64')
  const isNamed = proxy.username !== '' || proxy.password !== ''
  return `${head}${isNamed ? `Proxy-Authorization: Basic ${login}\r\n` : ''}\r\n`
}

/** A proxy's decoded login: `user:password`. */
export function proxyLogin({ username, password }: URL): string {
  return `${decodePercent(username)}:${decodePercent(password)}`
}
