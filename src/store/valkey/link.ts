import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { tlsComplaint } from '../../lib/connections.ts'
import { messageOf } from '../../lib/failure.ts'
import { CountersUnavailable } from '../ports/counters.ts'
import { StoreError } from '../ports/store-error.ts'
import { type Script, scripts } from './scripts.ts'

interface LinkParts {
  /** `redis:`, `rediss:` (`encryptionOf`) or `valkey:`; may hold a password. */
  readonly url: string
  /** Runs after connecting; when it rejects, the server stays unavailable. */
  readonly greet: (link: Pick<Link, 'run'>) => Promise<void>
  readonly onUnavailable: (reason: string) => void
  /** Connected and greeted; `wasUnavailable`: `onUnavailable` was called before. */
  readonly onAvailable: (wasUnavailable: boolean) => void
  /** A call that takes longer fails, and the server counts as unavailable. */
  readonly patienceMs?: number | undefined
}

/** A connection to a Valkey or Redis with a circuit breaker: calls never wait for the server. */
export interface Link {
  isUnavailable(): boolean
  /** Rejects with `CountersUnavailable`, at once while the circuit is open. */
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>
  send(command: string, values: readonly string[]): Promise<unknown>
  /** For optional calls: an error reply does not open the circuit. */
  ask(command: string, values: readonly string[]): Promise<unknown>
  /** Connects; resolves when that has succeeded or failed once. */
  open(): Promise<void>
  close(): void
}

const usualPatienceMs = 150
/** How often call timeouts are checked, in milliseconds. */
const lookMs = 50
/** How often a connection is retried, in milliseconds. */
const retryMs = 250

interface Call {
  /** How many checks found it to be the oldest. */
  looks: number
  readonly reject: (error: CountersUnavailable) => void
}

/** Any failure opens the circuit, until a new connection has been greeted. */
export function createLink({ url, greet, onUnavailable, onAvailable, ...more }: LinkParts): Link {
  const { patienceMs = usualPatienceMs } = more
  const encryption = encryptionOf(url)
  let client: Bun.RedisClient | undefined
  const calls = new Set<Call>()
  let isUp = false
  let isClosed = false
  let isReported = false
  let watch: ReturnType<typeof setTimeout> | undefined
  let retry: ReturnType<typeof setTimeout> | undefined

  function fail(reason: string): void {
    if (client === undefined) return
    client.onclose = null
    client.close()
    client = undefined
    isUp = false
    for (const call of calls) call.reject(new CountersUnavailable(reason, true))
    calls.clear()
    if (isClosed) return
    if (!isReported) onUnavailable(reason)
    isReported = true
    retry ??= setTimeout(() => void connect(), retryMs)
    retry.unref()
  }

  /** Time in which this process was busy does not count: replies may be waiting. */
  function look(): void {
    watch = undefined
    const [oldest] = calls
    if (oldest === undefined) return
    oldest.looks++
    if (oldest.looks * lookMs > patienceMs) fail(`no answer within ${patienceMs} ms`)
    else watch = setTimeout(look, lookMs)
  }

  function call(work: (client: Bun.RedisClient) => Promise<unknown>): Promise<unknown> {
    const current = client
    if (current === undefined)
      return Promise.reject(new CountersUnavailable('not connected', false))
    return new Promise((resolve, reject) => {
      const one: Call = { looks: 0, reject }
      calls.add(one)
      watch ??= setTimeout(look, lookMs)
      work(current).then(
        (value) => {
          calls.delete(one)
          resolve(value)
        },
        (error: unknown) => {
          if (!calls.delete(one)) return // rejected already
          reject(new CountersUnavailable(reasonOf(error), true))
          if (client === current) fail(reasonOf(error))
        },
      )
    })
  }

  const run: Link['run'] = ({ hash, text }, keys, values) => {
    const rest = [String(keys.length), ...keys, ...values]
    return call((to) =>
      to.send('EVALSHA', [hash, ...rest]).catch((error: unknown) => {
        if (!reasonOf(error).includes('NOSCRIPT')) throw error
        return to.send('EVAL', [text, ...rest])
      }),
    )
  }

  async function connect(): Promise<void> {
    retry = undefined
    if (isClosed || client !== undefined) return
    const fresh = new Bun.RedisClient(encryption.url, {
      ...{ autoReconnect: false, enableOfflineQueue: false, connectionTimeout: patienceMs * 2 },
      ...(encryption.tls && { tls: encryption.tls }),
    })
    client = fresh
    try {
      await fresh.connect()
      fresh.onclose = (error) => client === fresh && fail(reasonOf(error))
      for (const { text } of scripts) await call((to) => to.send('SCRIPT', ['LOAD', text]))
      await greet({ run })
    } catch (error) {
      // Determined once, for the log.
      const reason = isReported ? undefined : await whyNotEncrypted(encryption)
      if (client === fresh) fail(reason ?? reasonOf(error))
      return
    }
    if (client !== fresh) return
    isUp = true
    const wasUnavailable = isReported
    isReported = false
    onAvailable(wasUnavailable)
  }

  const unlessUnavailable = (work: () => Promise<unknown>) =>
    isUp ? work() : Promise.reject(new CountersUnavailable('away', false))

  return {
    isUnavailable: () => !isUp,
    run: (script, keys, values) => unlessUnavailable(() => run(script, keys, values)),
    send: (command, values) => unlessUnavailable(() => call((to) => to.send(command, [...values]))),
    ask: async (command, values) => client?.send(command, [...values]),
    open: connect,
    close() {
      isClosed = true
      clearTimeout(retry)
      clearTimeout(watch)
      fail('closed')
    },
  }
}

const reasonOf = (error: unknown): string => {
  const text = messageOf(error)
  return text === 'Connection closed'
    ? 'unreachable, or it refuses the password, or wants TLS (rediss://)'
    : text
}

interface Encryption {
  readonly url: string
  readonly tls: { readonly ca?: string; readonly rejectUnauthorized?: boolean } | undefined
}

/** Reads a `rediss:` address by the words of Python's client: `ssl_ca_certs`, `ssl_cert_reqs=none`. */
export function encryptionOf(url: string): Encryption {
  const address = new URL(url)
  if (address.protocol !== 'rediss:') return { url, tls: undefined }
  const path = address.searchParams.get('ssl_ca_certs')
  const isChecked = address.searchParams.get('ssl_cert_reqs') !== 'none'
  address.search = ''
  const tls = { ...(path && { ca: read(path) }), ...(!isChecked && { rejectUnauthorized: false }) }
  return { url: address.href, tls: path || !isChecked ? tls : undefined }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new StoreError(
      `The file that ssl_ca_certs names (counters: in the configuration) can't be read: ${String(cause)}.`,
      { cause },
    )
  }
}

const patienceMs = 300

/** Why an encrypted connection fails, which the driver does not report; undefined: another cause. */
function whyNotEncrypted({ url, tls }: Encryption): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'rediss:') return Promise.resolve(undefined)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const name = isIP(host) ? {} : { servername: host }
    const socket = connect({ ...tls, ...name, host, port: Number(port || 6379) })
    const end = (reason?: string) => {
      socket.destroy()
      resolve(reason)
    }
    socket.setTimeout(patienceMs, end)
    socket.on('secureConnect', () => end())
    socket.on('error', (error) => {
      const complaint = tlsComplaint(error)
      end(complaint && `it ${complaint}: ${wayOut}`)
    })
  })
}

const wayOut =
  'name the certificate of its authority (?ssl_ca_certs=/path/to/ca.pem), or encrypt without a check of who answers (?ssl_cert_reqs=none)'
