import { lookup } from 'node:dns/promises'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { entryLimit, expiresAfter } from '../../lib/cache-options.ts'
import { Cancellation } from '../../lib/cancellation.ts'
import { afterRunning } from '../../lib/clock.ts'
import { createConnections } from './connections.ts'
import {
  bareHost,
  ConnectTimeout,
  createDialer,
  createProxyDialer,
  type Environment,
  isPrivateHost,
  isPublic,
  ProxyRefused,
  pinned,
  readEnvironmentProxy,
  type Target,
} from './dial.ts'
import { makeRoundTrip, type OutboundAnswer, type ReaderMemory } from './round-trip.ts'
import { urlParts } from './url-parts.ts'

export interface OutboundCall {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: Uint8Array | FormData | undefined
  readonly signal: AbortSignal | Cancellation
  readonly allowPrivate: boolean
  readonly connectMs: number
  /** The proxy's address, with its login; undefined: the environment's, or none. */
  readonly proxy?: string | undefined
  /** A client named the address: no proxy looks it up, and nothing is decompressed. */
  readonly isForeign?: boolean | undefined
}

/** A call of a channel: over a connection of our own, except by a proxy or with a form. */
export interface UpstreamCall extends OutboundCall {
  /** Its answer is read at the client's pace. */
  readonly isPaced: boolean
}

type AnyCall = OutboundCall & { readonly isPaced?: boolean }

/** Throws `AddressRefused`, `HostNotFound`, `ConnectTimeout`, `ProxyRefused`, or a socket error. */
export interface Outbound {
  (call: UpstreamCall, memory: ReaderMemory): Promise<OutboundAnswer>
  (call: OutboundCall): Promise<Response>
}

/** The address is invalid, or private where the call may not go to private ones. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** The name has no address at all. */
export class HostNotFound extends Error {
  override readonly name = 'HostNotFound'
  readonly code = 'ENOTFOUND'
}

type Resolve = (host: string) => Promise<readonly string[]>

/** Replaced by tests; the process's own otherwise. */
interface OutboundParts {
  readonly resolve?: Resolve | undefined
  readonly isPublic?: ((address: string) => boolean) | undefined
  readonly env?: Environment | undefined
  readonly verdictMs?: number | undefined
}

interface Way extends Target {
  readonly isProxied: boolean
  answered(): void
  lost(): void
}

/**
 * The only way out: every upstream request, and every file that a client's request names, goes
 * through it.
 *
 * - Only http and https, no user name in an address, no port 0. Redirects are not followed.
 * - An address on this machine or network is refused unless the call allows it. The connection
 *   goes to the checked address: a second lookup could lead elsewhere.
 * - Channel names are looked up only by a proxy, the channel's own or the environment's, where
 *   there is one: it decides what can be reached. A plainly private host is refused all the same.
 *   The proxy's own address is set by the operator, and may be private.
 * - Connecting has a time limit, also through a channel's own proxy, tunnel included.
 * - Connections are kept, per address and name, or per proxy and name, and reused.
 */
export function createOutbound(parts: OutboundParts = {}): Outbound {
  const { env = process.env, resolve } = parts
  const environment = readEnvironmentProxy(env)
  // Clients' addresses neither share a wait queue with the channels nor crowd them out.
  const own = { find: createFinder(parts, resolve ?? resolveHost), dialer: createDialer(env) }
  const foreign = {
    find: createFinder(parts, resolve ?? resolveForeign),
    dialer: createDialer(env),
  }
  const doorOf = ({ isForeign }: OutboundCall) => (isForeign === true ? foreign : own)
  const proxies = createProxyDialer()
  const connections = createConnections()
  const targets = new LRUCache<string, URL>({ max: 1_000 })

  /** Parsed channel addresses: there are few, each called many times. */
  function targetOf(address: string): URL {
    const known = targets.get(address)
    if (known !== undefined) return known
    const url = readTarget(address)
    targets.set(address, url)
    return url
  }

  async function byProxy(url: URL, address: string, call: OutboundCall): Promise<Way> {
    const proxy = readProxy(address)
    if (!call.allowPrivate && isPrivateHost(url.hostname)) {
      throw new AddressRefused(`${url.hostname} is a private address`)
    }
    await proxies.reach(url, proxy, call.connectMs)
    return {
      target: url,
      init: { headers: call.headers, proxy: { url: proxy, respectNoProxy: false } },
      isProxied: true,
      answered: () => proxies.answered(url, proxy),
      lost: () => proxies.lost(url, proxy),
    }
  }

  function byItself(url: URL, call: OutboundCall): Way | Promise<Way> {
    const isAnywhere = call.allowPrivate && call.isForeign !== true
    const addresses = isAnywhere ? undefined : doorOf(call).find(url, call)
    return addresses instanceof Promise
      ? addresses.then((found) => dialled(url, call, found))
      : dialled(url, call, addresses)
  }

  function dialled(
    url: URL,
    call: OutboundCall,
    addresses: readonly string[] | undefined,
  ): Way | Promise<Way> {
    const reached = doorOf(call).dialer.reach(url, call.connectMs, addresses)
    return reached instanceof Promise
      ? reached.then((address) => wayTo(url, call, addresses, address))
      : wayTo(url, call, addresses, reached)
  }

  function wayTo(
    url: URL,
    call: OutboundCall,
    addresses: readonly string[] | undefined,
    reached: string | undefined,
  ): Way {
    const { dialer } = doorOf(call)
    const isProxied = environment.leads(url)
    const isPinned = addresses !== undefined && (call.isForeign === true || !isProxied)
    const address = isPinned ? (reached ?? addresses.find(isIPv4) ?? addresses[0]) : undefined
    return {
      ...(address === undefined
        ? { target: url, init: { headers: call.headers } }
        : pinned(url, address, call.headers, isProxied)),
      isProxied,
      answered: () => dialer.answered(url, reached),
      lost: () => dialer.lost(url),
    }
  }

  const send = async (call: AnyCall, memory?: ReaderMemory): Promise<OutboundAnswer> => {
    const isOwn = call.isForeign !== true
    const url = isOwn ? targetOf(call.url) : readTarget(call.url)
    const { proxy, method, signal, body, isPaced } = call
    const coming = proxy !== undefined && isOwn ? byProxy(url, proxy, call) : byItself(url, call)
    const way = coming instanceof Promise ? await coming : coming
    try {
      if (isPaced !== undefined && !way.isProxied && !(body instanceof FormData)) {
        const { target, init } = way
        const serverName = init.tls?.serverName
        const sent = { target, serverName, headers: init.headers, isPaced, method, body }
        const answer = await makeRoundTrip(connections, { ...sent, signal, memory })
        way.answered()
        return answer
      }
      const response = await fetch(way.target, {
        ...way.init,
        method,
        signal: signal instanceof Cancellation ? signal.signal : signal,
        redirect: 'manual',
        decompress: isOwn,
        body: body as Bun.BodyInit | undefined,
      })
      if (way.isProxied && response.status === 407) {
        await response.body?.cancel()
        throw new ProxyRefused('the proxy wants another user or password')
      }
      way.answered()
      return response
    } catch (error) {
      // An abort by the caller says nothing about the host.
      if (!signal.aborted) way.lost()
      throw asOwnError(error)
    }
  }
  return send as Outbound
}

function readTarget(address: string): URL {
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AddressRefused(`the scheme ${url.protocol} is not called`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new AddressRefused('an address with a user name is not called')
  }
  if (url.port === '0') throw new AddressRefused('port 0 is not called')
  return url
}

/** Errors omit the address: it may hold a password. */
function readProxy(address: string): URL {
  const proxy = URL.parse(address)
  if (proxy?.protocol === 'http:' || proxy?.protocol === 'https:') return proxy
  throw new ProxyRefused('the address of the proxy does not begin with http:// or https://')
}

/** A proxy's own words are dropped: they may hold anything. */
function asOwnError(error: unknown): unknown {
  const isTunnel = error instanceof Error && 'code' in error && error.code === 'ERR_PROXY_TUNNEL'
  if (!isTunnel || error instanceof ProxyRefused) return error
  const status = 'status' in error ? error.status : 'no HTTP answer'
  return new ProxyRefused(`the proxy opens no tunnel: ${status}`)
}

/** Looks hosts up and caches those whose addresses are all public. */
function createFinder(parts: OutboundParts, resolve: Resolve) {
  const mayReach = parts.isPublic ?? isPublic
  const checked = new LRUCache<string, readonly string[]>({
    ...entryLimit(10_000),
    ...expiresAfter(parts.verdictMs ?? 30_000),
  })

  async function find(host: string, { allowPrivate, connectMs }: OutboundCall) {
    const addresses = ipaddr.isValid(host) ? [host] : await inTime(resolve(host), connectMs)
    if (addresses.length === 0) throw new HostNotFound(`${host} has no address`)
    const refused = addresses.find((address) => !mayReach(address))
    if (refused === undefined) checked.set(host, addresses)
    else if (!allowPrivate) throw new AddressRefused(`${host} is the private address ${refused}`)
    return addresses
  }

  return (url: URL, call: OutboundCall): readonly string[] | Promise<readonly string[]> => {
    const host = bareHost(urlParts(url).hostname)
    return checked.get(host) ?? find(host, call)
  }
}

/** A lookup without an answer takes no longer than a connection. */
async function inTime<T>(found: Promise<T>, limitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const callOff = afterRunning(limitMs, () => reject(new ConnectTimeout('no address in time')))
  return await Promise.race([found, late]).finally(callOff)
}

/** The system's lookup, in one of a few threads. */
async function resolveHost(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map((entry) => entry.address)
}

/** Without a thread: a few unanswered names would block all others. */
async function resolveForeign(host: string): Promise<readonly string[]> {
  const found = await Bun.dns.lookup(host, { backend: 'c-ares' })
  return found.map((entry) => entry.address)
}
