import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { tlsComplaint } from '../../lib/connections.ts'
import { StoreError } from '../ports/store-error.ts'

/** An address for the driver, and how it is encrypted. */
export interface Encryption {
  readonly url: string
  readonly tls: { readonly ca?: string; readonly rejectUnauthorized?: boolean } | undefined
}

/**
 * Reads how an address wants to be encrypted: `rediss:` is, and its server is checked by the authorities
 * that this machine trusts, by those of a file (`ssl_ca_certs`), or not at all (`ssl_cert_reqs=none`):
 * the words that Python's client has for it. Throws `StoreError` for a file that can't be read.
 */
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

/**
 * Why an encrypted connection does not come about: the driver tells of all failures alike, so that it
 * is tried once without it. Undefined: not for its encryption.
 */
export function whyNotEncrypted({ url, tls }: Encryption): Promise<string | undefined> {
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
