import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { tlsComplaint } from '../../lib/connections.ts'
import { StoreError } from '../ports/store-error.ts'

const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const

type Parameter = (typeof parameters)[number]

/** An address for the driver without these parameters; `ssl` false: in plain. */
interface Encryption {
  readonly connectionString: string
  readonly ssl: ConnectionOptions | false
}

const anyName = () => undefined

/** Reads an address by the words of PostgreSQL's own programs, which the driver understands otherwise. */
export function encryptionOf(url: string): Encryption {
  const address = new URL(url)
  const said = (name: Parameter) => address.searchParams.get(name) ?? undefined
  const place = placeOf(url)
  const file = (name: Parameter) => readNamed(place, name, said(name))
  const mode = said('sslmode') ?? (said('sslrootcert') === undefined ? 'disable' : 'verify-full')
  const files = () => {
    const [ca, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')]
    return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
  }
  const ssl = optionsFor(mode, files, place)
  for (const name of parameters) address.searchParams.delete(name)
  return { connectionString: address.href, ssl }
}

function optionsFor(
  mode: string,
  files: () => ConnectionOptions,
  place: string,
): ConnectionOptions | false {
  if (mode === 'disable') return false
  if (mode === 'verify-full') return files()
  if (mode === 'require' || mode === 'no-verify') {
    const options = files()
    // A named authority is checked, as PostgreSQL's own programs do.
    return options.ca && mode === 'require'
      ? { ...options, checkServerIdentity: anyName }
      : { ...options, rejectUnauthorized: false }
  }
  if (mode === 'verify-ca') {
    const options = files()
    if (options.ca) return { ...options, checkServerIdentity: anyName }
    throw new StoreError(
      `The database ${place} is to be checked by sslmode=verify-ca, which needs the certificate of ` +
        'its authority: add &sslrootcert=/path/to/ca.pem, or write sslmode=verify-full.',
    )
  }
  throw new StoreError(
    `The database ${place} has sslmode=${mode}, which may go on in plain or is not known here: write ` +
      'disable, require, verify-ca or verify-full.',
  )
}

/** Text of a file that a parameter names; `system` stands for the authorities of this machine. */
function readNamed(place: string, name: Parameter, path: string | undefined): string | undefined {
  if (path === undefined || path === '' || path === 'system') return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new StoreError(
      `The file that ${name} of the database ${place} names can't be read: ${String(cause)}.`,
      { cause },
    )
  }
}

const wayOut =
  'name the certificate of its authority (?sslmode=verify-full&sslrootcert=/path/to/ca.pem), or encrypt without a check of who answers (?sslmode=require)'

/** Explains a failed TLS handshake; undefined: another error. */
export function explainTls(error: unknown): string | undefined {
  if (error instanceof Error && error.message.includes('does not support SSL'))
    return 'does not encrypt: set "ssl = on" there, or leave out sslmode'
  const complaint = tlsComplaint(error)
  return complaint && `${complaint}: ${wayOut}`
}

/** `postgres://host:port/database` of an address, without its secrets. */
export function placeOf(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}
