import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SignInParts } from './core.ts'

/** The key that signs cookies; earlier versions also encrypted secrets of second factors with it. */
export const signInSecret = ({ keyedHash }: SignInParts['secrets']): string =>
  keyedHash('sign-in library')

interface CookieOptions {
  /** Absent: a session cookie. */
  readonly maxAgeMs?: number | undefined
  readonly path?: string
}

/** Signed cookies (`value.signature`), HttpOnly, and Secure where TLS is used. */
export function createCookies({ secrets, facts }: Pick<SignInParts, 'secrets' | 'facts'>) {
  const secret = signInSecret(secrets)
  const sign = (value: string) => createHmac('sha256', secret).update(value).digest()
  // Browsers accept `__Secure-` over TLS only.
  const named = (request: Request, name: string) =>
    `${facts.isSecure(request) ? '__Secure-' : ''}tollgate.${name}`

  function set(request: Request, name: string, raw: string, options: CookieOptions): string {
    const { maxAgeMs, path = '/' } = options
    const age = maxAgeMs === undefined ? '' : `Max-Age=${maxAgeMs / 1000}; `
    const secure = facts.isSecure(request) ? 'Secure; ' : ''
    return `${named(request, name)}=${raw}; ${age}Path=${path}; HttpOnly; ${secure}SameSite=Lax`
  }

  return {
    /** The value; undefined: missing, or not signed by this gateway. */
    read(request: Request, name: string): string | undefined {
      const cookies = new Bun.CookieMap(request.headers.get('cookie') ?? '')
      const raw = cookies.get(named(request, name)) ?? ''
      const dot = raw.lastIndexOf('.')
      if (dot < 1) return undefined
      const value = raw.slice(0, dot)
      const signature = Buffer.from(raw.slice(dot + 1), 'base64')
      const expected = sign(value)
      const isOurs = signature.length === expected.length && timingSafeEqual(signature, expected)
      return isOurs ? value : undefined
    },
    /** Returns `Set-Cookie`. */
    write(request: Request, name: string, value: string, options: CookieOptions = {}): string {
      const raw = encodeURIComponent(`${value}.${sign(value).toString('base64')}`)
      return set(request, name, raw, options)
    },
    /** Returns the `Set-Cookie` that deletes it. */
    end: (request: Request, name: string): string => set(request, name, '', { maxAgeMs: 0 }),
  }
}
