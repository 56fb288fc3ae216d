import { UserError } from './instance.ts'

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
