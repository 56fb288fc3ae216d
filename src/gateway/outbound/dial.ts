import { connect, isIPv6, type LookupFunction } from 'node:net'
import { LRUCache } from 'lru-cache'
import { growing } from '../../lib/cache-options.ts'
import { afterRunning } from '../../lib/clock.ts'
import { type Environment, readEnvironmentProxy } from './environment-proxy.ts'

/** No connection came about within the channel's limit. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout'
}

/** Finds out in time whether a host takes connections. */
export interface Dialer {
  /**
   * The address at which it does, or lately did: one of `addresses`, or, without them, whichever its
   * name leads to. Undefined behind a proxy. Throws `ConnectTimeout`, or the socket's error.
   */
  reach(
    url: URL,
    limitMs: number,
    addresses?: readonly string[],
  ): string | undefined | Promise<string>
  /** The host has just answered, at the address that `reach` gave. */
  answered(url: URL, address?: string): void
  /** A call to the host has failed: it is dialled again before the next one. */
  lost(url: URL): void
}

/** How long a host that took a connection is taken to be there: connections are kept and used again. */
export const knownMs = 60_000

interface KnownHost {
  /** Empty: at whichever its name leads to. */
  readonly address: string
  answeredTick: number
}

/**
 * `fetch` has no limit of time for connecting, and does not say when it is connected. So a host that
 * has not answered for a minute is dialled first, with a connection that carries nothing. Behind a
 * proxy of the environment only the proxy can connect: nothing is dialled then. An address stays in
 * use while the host has it, since kept connections belong to an address.
 */
export function createDialer(env: Environment): Dialer {
  const known = new LRUCache<string, KnownHost>(growing(10_000))
  const proxy = readEnvironmentProxy(env)

  async function find(url: URL, limitMs: number, addresses?: readonly string[]): Promise<string> {
    const address = await dial(url, limitMs, addresses)
    answered(url, address)
    return address
  }

  function answered(url: URL, address = ''): void {
    const before = known.get(url.host)
    if (before?.address === address) before.answeredTick = performance.now()
    else known.set(url.host, { address, answeredTick: performance.now() })
  }

  function lately(url: URL): string | undefined {
    const host = known.get(url.host)
    return host && performance.now() - host.answeredTick < knownMs ? host.address : undefined
  }

  return {
    reach(url, limitMs, addresses) {
      if (proxy.mayLead(url)) return undefined
      const before = lately(url)
      const isKnown = before !== undefined && addresses?.includes(before) !== false
      return isKnown ? before : find(url, limitMs, addresses)
    },
    answered,
    lost(url) {
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

/** In place of looking a name up: the addresses that are known already. */
function answering(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, _options, callback) => callback(null, found)
}
