import type { AnyElysia } from 'elysia'
import { usualSilenceSeconds } from '../gateway/context.ts'
import { boundAccepted } from '../lib/connections.ts'
import type { Config } from './config/config.ts'
import { UserError } from './instance.ts'

/** A gateway that takes requests. */
export interface Listening {
  /** Where it listens, as a URL. */
  readonly url: string
  /** Stops taking requests; connections that are under way go on. */
  close(): Promise<void>
  /** Ends the connections that are left: a client that does not read would keep the process. */
  drop(): void
}

/** Bun would answer 413 by itself, with an empty body: ours is counted, and has a shape. */
const maxRequestBodySize = Number.MAX_SAFE_INTEGER

/** One event may be so large. */
const maxWaitingBytes = 64 * 1_048_576

/** What waits in the system for a client that is slow to read, in bytes; it would take megabytes. */
const sentAheadBytes = 262_144

type Address = Pick<Config['server'], 'host' | 'port'> & {
  /** The longest message of a WebSocket. */
  readonly messageBytes?: number
}

/** Opens the port. Throws a `UserError` that names the address and `setBy`, where it is set. */
export function listen(
  app: AnyElysia,
  { host, port, messageBytes }: Address,
  setBy = 'server.listen',
): Listening {
  const options = {
    hostname: host,
    port,
    reusePort: false,
    development: false,
    maxRequestBodySize,
    // Before a request's head and body are complete; models get all the time.
    idleTimeout: usualSilenceSeconds,
    websocket: {
      // Larger messages end their connection unread.
      ...(messageBytes && { maxPayloadLength: messageBytes }),
      // Who sends waits as soon as anything waits to be read: this is for what is sent at once.
      backpressureLimit: maxWaitingBytes,
      perMessageDeflate: false,
      sendPings: true,
    },
  }
  try {
    app.listen(options)
  } catch (cause) {
    throw cannotListen({ host, port, setBy }, cause)
  }
  boundAccepted('send', sentAheadBytes)
  const { server: bun } = app
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shown}:${bun?.port ?? port}`,
    async close() {
      await bun?.stop(false)
    },
    drop() {
      void bun?.stop(true)
    },
  }
}

interface Port {
  readonly host: string
  readonly port: number
  /** Where the operator names another address: a key of the configuration, or an option. */
  readonly setBy: string
}

/** Why a port could not be opened, with the way out: what the runtime says is for programmers. */
export function cannotListen({ host, port, setBy }: Port, cause: unknown): UserError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'EADDRINUSE') {
    const message = `Port ${port} on ${host} is in use. Stop what uses it, or give another address (${setBy}).`
    return new UserError(message, { cause })
  }
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const reason = reasons[code] ?? `${String(cause)}. Give another address`
  return new UserError(`Cannot listen on ${place}: ${reason} (${setBy}).`, { cause })
}

/** Each ends with the way out. */
const reasons: Readonly<Record<string, string>> = {
  EACCES:
    'this user has no right to ports below 1024. Run it with CAP_NET_BIND_SERVICE (AmbientCapabilities= in systemd), or give another port',
  EADDRNOTAVAIL:
    'this machine has no such address. Give one that it has, or 0.0.0.0 for all of them',
  ENOENT: 'the name of the host has no address here. Give an address, or 0.0.0.0 for all of them',
  EAFNOSUPPORT: 'this machine has no IPv6. Give an address of IPv4, or 0.0.0.0 for all of them',
}
