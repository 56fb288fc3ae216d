import { connect, isIP, type Socket } from 'node:net'
import { unescape as decodePercent } from 'node:querystring'
import { connect as connectTls } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { growing, lasting } from '../../lib/cache-options.ts'
import { afterRunning } from '../../lib/clock.ts'
import { ConnectTimeout, knownMs } from './dial.ts'

/** A proxy does not let a call through: it wants another password, or can't reach the host. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused'
  readonly code = 'ERR_PROXY_TUNNEL'
}

/** Finds out in time whether a proxy takes connections, and lets them through to a host. */
export interface ProxyDialer {
  /** Throws `ConnectTimeout`, `ProxyRefused` or the socket's error; none tells the proxy's password. */
  reach(url: URL, proxy: URL, limitMs: number): Promise<void>
  answered(url: URL, proxy: URL): void
  /** A call to the host by this proxy has failed: both are dialled again before the next one. */
  lost(url: URL, proxy: URL): void
}

/** As `createDialer`, for proxies: `fetch` waits for them without a limit. */
export function createProxyDialer(): ProxyDialer {
  const known = new LRUCache<string, true>({ ...growing(10_000), ...lasting(knownMs) })
  return {
    async reach(url, proxy, limitMs) {
      if (known.has(wayOf(url, proxy))) return
      await dial(url, proxy, limitMs)
      known.set(wayOf(url, proxy), true)
    },
    answered(url, proxy) {
      known.set(wayOf(url, proxy), true)
    },
    lost(url, proxy) {
      known.delete(wayOf(url, proxy))
    },
  }
}

const wayOf = (url: URL, proxy: URL) => `${proxy.href} ${url.origin}`

const longestLine = 8_192

async function dial(url: URL, proxy: URL, limitMs: number): Promise<void> {
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

/** User and password of a proxy's address, as they are sent but for their encoding: `user:password`. */
export function proxyLogin({ username, password }: URL): string {
  return `${decodePercent(username)}:${decodePercent(password)}`
}
