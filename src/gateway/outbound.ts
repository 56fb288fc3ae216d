import { lookup } from 'node:dns/promises'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { ConnectTimeout, createDialer } from './dial.ts'

/** An upstream call as it leaves the process. */
export interface OutboundCall {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: Uint8Array | FormData | undefined
  readonly signal: AbortSignal
  /** The call may go to this machine and its network. */
  readonly allowPrivate: boolean
  /** How long connecting may take, in milliseconds. */
  readonly connectMs: number
  /**
   * The address is a client's, not the operator's: no proxy is trusted to look it up, and a
   * compressed body comes as it was sent.
   */
  readonly isForeign?: boolean | undefined
}

/** Sends a call; throws `AddressRefused`, `HostNotFound`, `ConnectTimeout` or what `fetch` throws. */
export type Outbound = (call: OutboundCall) => Promise<Response>

/** The address is not a public one and the call may not go to private ones. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** The name has no address at all. */
export class HostNotFound extends Error {
  override readonly name = 'HostNotFound'
  readonly code = 'ENOTFOUND'
}

type Resolve = (host: string) => Promise<readonly string[]>

/** What tests replace; the process's own otherwise. */
export interface OutboundParts {
  readonly resolve?: Resolve | undefined
  readonly isPublic?: ((address: string) => boolean) | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** How long the addresses that a name was found to have are believed, in milliseconds. */
  readonly verdictMs?: number | undefined
}

/**
 * The one door out: every request to an upstream goes through it. Redirects are not followed, and
 * an address on this machine or network is refused unless the call allows it. The connection goes
 * to the very address that was checked: a name is not looked up a second time, when it might lead
 * elsewhere. Only a proxy of the environment looks the names of channels up for itself.
 */
export function createOutbound(parts: OutboundParts = {}): Outbound {
  const { env = process.env, resolve } = parts
  // What strangers name neither waits in one line with the channels nor crowds them out.
  const own = { find: createFinder(parts, resolve ?? resolveHost), dialer: createDialer(env) }
  const foreign = {
    find: createFinder(parts, resolve ?? resolveForeign),
    dialer: createDialer(env),
  }

  return async (call) => {
    const url = new URL(call.url)
    const isForeign = call.isForeign === true
    const { find, dialer } = isForeign ? foreign : own
    const addresses = call.allowPrivate && !isForeign ? undefined : await find(url, call)
    const reached = await dialer.reach(url, call.connectMs, addresses)
    const isPinned = addresses !== undefined && (isForeign || !hasProxy(env, url.protocol))
    const address = isPinned ? (reached ?? addresses.find(isIPv4) ?? addresses[0]) : undefined
    const { method, headers, signal } = call
    const init = {
      ...{ method, headers, signal, redirect: 'manual' as const, decompress: !isForeign },
      ...(call.body === undefined ? {} : { body: call.body as Bun.BodyInit }),
    }
    try {
      const response = await (address === undefined
        ? fetch(url, init)
        : fetch(...pinned(url, address, init)))
      dialer.answered(url, reached)
      return response
    } catch (error) {
      // The caller's leaving says nothing of the host.
      if (!signal.aborted) dialer.lost(url)
      throw error
    }
  }
}

/** Looks hosts up and remembers those whose addresses are all public. */
function createFinder(parts: OutboundParts, resolve: Resolve) {
  const mayReach = parts.isPublic ?? isPublic
  const checked = new LRUCache<string, readonly string[]>({
    max: 10_000,
    ttl: parts.verdictMs ?? 30_000,
  })

  return async (
    url: URL,
    { allowPrivate, connectMs }: OutboundCall,
  ): Promise<readonly string[]> => {
    const host = bareHost(url.hostname)
    const known = checked.get(host)
    if (known !== undefined) return known
    const addresses = ipaddr.isValid(host) ? [host] : await inTime(resolve(host), connectMs)
    if (addresses.length === 0) throw new HostNotFound(`${host} has no address`)
    const refused = addresses.find((address) => !mayReach(address))
    if (refused === undefined) checked.set(host, addresses)
    else if (!allowPrivate) throw new AddressRefused(`${host} is the private address ${refused}`)
    return addresses
  }
}

/** Names that are not answered for are no reason to wait longer than for a connection. */
async function inTime<T>(found: Promise<T>, limitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new ConnectTimeout('no address in time')), limitMs)
  return await Promise.race([found, late]).finally(() => clearTimeout(timer))
}

/**
 * The same call with the address in place of the name. The name goes into `Host` and into the TLS
 * greeting, and the certificate has to be the name's. Connections are kept by address and name.
 */
function pinned<Init extends { readonly headers: Record<string, string> }>(
  url: URL,
  address: string,
  init: Init,
) {
  const target = new URL(url)
  target.hostname = address.includes(':') ? `[${address}]` : address
  const headers = { ...init.headers, host: url.host }
  const isNamed = url.protocol === 'https:' && target.hostname !== url.hostname
  const tls = isNamed ? { tls: { serverName: url.hostname.replace(/\.$/, '') } } : {}
  return [target, { ...init, headers, ...tls }] as const
}

/** Whether `fetch` leaves connecting, and with it looking names up, to a proxy. */
function hasProxy(env: Readonly<Record<string, string | undefined>>, protocol: string): boolean {
  const name = `${protocol.slice(0, -1)}_proxy`
  return Boolean(env[name] || env[name.toUpperCase()])
}

/** Answers only inside of one vendor's cloud, with what its machines may know, from a public range. */
const azureHostService = '168.63.129.16'

/**
 * Whether an address belongs to the public internet. Of IPv6 that is 2000::/3 at most, all that has
 * ever been given out (IANA, "IPv6 Global Unicast Address Assignments"); beside it are forms that
 * hold a private IPv4 address.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === azureHostService) return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether a host is plainly one of this machine or network, without asking anybody. */
export function isPrivateHost(hostname: string): boolean {
  const host = bareHost(hostname)
  return ipaddr.isValid(host) ? !isPublic(host) : host === 'localhost'
}

/** Without the brackets that a URL puts around IPv6. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** As all of the system looks names up: in one of a few threads. */
async function resolveHost(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map((entry) => entry.address)
}

/** Without a thread: a few names that nobody answers for would hold up every other one. */
async function resolveForeign(host: string): Promise<readonly string[]> {
  const found = await Bun.dns.lookup(host, { backend: 'c-ares' })
  return found.map((entry) => entry.address)
}
