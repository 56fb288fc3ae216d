import type { AnyElysia } from 'elysia'
import { usualSilenceSeconds } from '../gateway/context.ts'
import { boundAccepted } from '../lib/connections.ts'
import { codeOf } from '../lib/failure.ts'
import type { Config } from './config/config.ts'
import { UserError } from './user-error.ts'

/** Bun's own 413 has an empty body; ours counts, and answers in the protocol's shape. */
const maxRequestBodySize = Number.MAX_SAFE_INTEGER

/** Largest single event. */
const maxWaitingBytes = 64 * 1_048_576

/** Bytes that the system buffers for a slow reader, instead of megabytes. */
const sentAheadBytes = 262_144

type Address = Pick<Config['server'], 'host' | 'port'> & {
  readonly messageBytes?: number
}

/** Opens the port. Throws a `UserError` that names the address and `setBy`, where it is set. */
export function listen(
  app: AnyElysia,
  { host, port, messageBytes }: Address,
  setBy = 'server.listen',
) {
  const options = {
    hostname: host,
    port,
    reusePort: false,
    development: false,
    maxRequestBodySize,
    // Until a request's head and body are complete; models get unlimited time.
    idleTimeout: usualSilenceSeconds,
    websocket: {
      // A larger message ends its connection unread.
      ...(messageBytes && { maxPayloadLength: messageBytes }),
      // Senders wait for backpressure anyway; this limits a single write.
      backpressureLimit: maxWaitingBytes,
      perMessageDeflate: false,
      sendPings: true,
    },
  }
  const known = process.listeners('beforeExit')
  try {
    app.listen(options)
  } catch (cause) {
    throw cannotListen({ host, port, setBy }, cause)
  }
  // Elysia adds a listener that stops the app a second time, and keeps it in memory until then.
  for (const listener of process.listeners('beforeExit'))
    if (!known.includes(listener)) process.off('beforeExit', listener)
  boundAccepted('send', sentAheadBytes)
  const { server: bun } = app
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shown}:${bun?.port ?? port}`,
    async close(): Promise<void> {
      await bun?.stop(false)
    },
    /** Closes the remaining connections: a slow reader would keep the process. */
    drop(): void {
      void bun?.stop(true)
    },
  }
}

interface Port {
  readonly host: string
  readonly port: number
  /** Where the operator sets the address: a key of the configuration, or an option. */
  readonly setBy: string
}

/** Why a port could not be opened, with the way out. */
export function cannotListen({ host, port, setBy }: Port, cause: unknown): UserError {
  const code = codeOf(cause) ?? ''
  if (code === 'EADDRINUSE') {
    const message = `Port ${port} on ${host} is in use. Stop what uses it, or give another address (${setBy}).`
    return new UserError(message, { cause })
  }
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const reason = reasons[code] ?? `${String(cause)}. Give another address`
  return new UserError(`Cannot listen on ${place}: ${reason} (${setBy}).`, { cause })
}

const reasons: Readonly<Record<string, string>> = {
  EACCES:
    'this user has no right to ports below 1024. Run it with CAP_NET_BIND_SERVICE (AmbientCapabilities= in systemd), or give another port',
  EADDRNOTAVAIL:
    'this machine has no such address. Give one that it has, or 0.0.0.0 for all of them',
  ENOENT: 'the name of the host has no address here. Give an address, or 0.0.0.0 for all of them',
  EAFNOSUPPORT: 'this machine has no IPv6. Give an address of IPv4, or 0.0.0.0 for all of them',
}
