import { connect } from 'node:net'
import { LRUCache } from 'lru-cache'

/** No connection came about within the channel's limit. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout'
}

/** Finds out in time whether a host takes connections. */
export interface Dialer {
  /** Resolves when it does, or lately did. Throws `ConnectTimeout`, or the socket's error. */
  reach(url: URL, limitMs: number): Promise<void>
  /** The host has just answered. */
  answered(url: URL): void
}

/** How long a host that took a connection is taken to be there: connections are kept and used again. */
const knownMs = 60_000

/**
 * `fetch` has no limit of time for connecting, and does not say when it is connected. So a host that
 * has not answered for a minute is dialled first, with a connection that carries nothing. Behind a
 * proxy of the environment only the proxy can connect: nothing is dialled then.
 */
export function createDialer(env: Readonly<Record<string, string | undefined>>): Dialer {
  const known = new LRUCache<string, true>({ max: 10_000, ttl: knownMs })
  const proxied = ['http_proxy', 'https_proxy'].some((name) => env[name] || env[name.toUpperCase()])
  return {
    async reach(url, limitMs) {
      if (proxied || known.has(url.host)) return
      await dial(url, limitMs)
      known.set(url.host, true)
    },
    answered(url) {
      known.set(url.host, true)
    },
  }
}

function dial(url: URL, limitMs: number): Promise<void> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port })
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new ConnectTimeout('no connection in time')), limitMs)
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
  }).finally(() => socket.destroy())
}
