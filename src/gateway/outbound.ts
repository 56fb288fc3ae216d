import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { createDialer } from './dial.ts'

/** An upstream call as it leaves the process. */
export interface OutboundCall {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: Uint8Array | FormData | undefined
  readonly signal: AbortSignal
  /** The channel may call this machine and its network. */
  readonly allowPrivate: boolean
  /** How long connecting may take, in milliseconds. */
  readonly connectMs: number
}

/** Sends a call; throws `AddressRefused`, `ConnectTimeout` or what `fetch` throws. */
export type Outbound = (call: OutboundCall) => Promise<Response>

/** The address is not a public one and the channel has no `allow_private: true`. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** How long a host name that was found public is believed. */
const verdictTtlMs = 30_000

/**
 * The one door out: every request to an upstream goes through it. Redirects are not followed, and
 * an address on this machine or network is refused unless the channel allows it.
 */
export function createOutbound(resolve: typeof resolveHost = resolveHost): Outbound {
  const dialer = createDialer(process.env)
  const publicHosts = new LRUCache<string, true>({ max: 10_000, ttl: verdictTtlMs })

  async function checkHost(host: string): Promise<void> {
    if (publicHosts.has(host)) return
    const addresses = ipaddr.isValid(host) ? [host] : await resolve(host)
    const refused = addresses.find((address) => !isPublic(address))
    if (refused !== undefined) {
      throw new AddressRefused(`${host} is the private address ${refused}`)
    }
    publicHosts.set(host, true)
  }

  return async (call) => {
    const url = new URL(call.url)
    if (!call.allowPrivate) await checkHost(bareHost(url.hostname))
    await dialer.reach(url, call.connectMs)
    const response = await fetch(url, {
      method: call.method,
      headers: call.headers,
      signal: call.signal,
      redirect: 'manual',
      ...(call.body === undefined ? {} : { body: call.body as Bun.BodyInit }),
    })
    dialer.answered(url)
    return response
  }
}

/** Whether an address belongs to the public internet. */
export function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === 'unicast'
}

/** Whether a host is plainly one of this machine or network, without asking anybody. */
export function isPrivateHost(hostname: string): boolean {
  const host = bareHost(hostname)
  return ipaddr.isValid(host) ? !isPublic(host) : host === 'localhost'
}

/** Without the brackets that a URL puts around IPv6. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

async function resolveHost(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map((entry) => entry.address)
}
