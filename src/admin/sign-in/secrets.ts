import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SecretBox } from '../../lib/secrets.ts'

/** What the sign-in library signs cookies and encrypts second factors with. */
export const librarySecret = (secrets: Pick<SecretBox, 'keyedHash'>): string =>
  secrets.keyedHash('sign-in library')

/** A session's token as the database knows it: a copy of the database opens no session. */
export const sessionTokenHash = (secrets: Pick<SecretBox, 'keyedHash'>) => (token: string) =>
  secrets.keyedHash(`session:${token}`)

/**
 * The value of a signed cookie (`value.signature`, as the library writes it) in a `Cookie` header;
 * undefined when the cookie is not there or not signed by us.
 */
export function readSignedCookie(
  cookies: string,
  name: string,
  secret: string,
): string | undefined {
  const raw = readCookie(cookies, name)
  const dot = raw?.lastIndexOf('.') ?? -1
  if (raw === undefined || dot < 1) return undefined
  const value = raw.slice(0, dot)
  const signature = Buffer.from(raw.slice(dot + 1), 'base64')
  const expected = createHmac('sha256', secret).update(value).digest()
  if (signature.length !== expected.length) return undefined
  return timingSafeEqual(signature, expected) ? value : undefined
}

function readCookie(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at < 0 || part.slice(0, at).trim() !== name) continue
    try {
      return decodeURIComponent(part.slice(at + 1).trim())
    } catch {
      return undefined // not one of ours
    }
  }
  return undefined
}
