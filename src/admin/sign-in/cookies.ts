import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SignInParts } from './core.ts'

/** What cookies are signed with, and secrets of second factors were encrypted with formerly. */
export const signInSecret = ({ keyedHash }: SignInParts['secrets']): string =>
  keyedHash('sign-in library')

interface CookieOptions {
  /** Absent: until the browser is closed. */
  readonly maxAgeMs?: number | undefined
  readonly path?: string
}

/** Cookies that only this gateway can write: `value.signature`, for no script, by TLS only where it is used. */
export function createCookies({ secrets, facts }: Pick<SignInParts, 'secrets' | 'facts'>) {
  const secret = signInSecret(secrets)
  const sign = (value: string) => createHmac('sha256', secret).update(value).digest()
  // A browser takes `__Secure-` by TLS only.
  const named = (request: Request, name: string) =>
    `${facts.isSecure(request) ? '__Secure-' : ''}tollgate.${name}`

  function set(request: Request, name: string, raw: string, options: CookieOptions): string {
    const { maxAgeMs, path = '/' } = options
    const age = maxAgeMs === undefined ? '' : `Max-Age=${maxAgeMs / 1000}; `
    const secure = facts.isSecure(request) ? 'Secure; ' : ''
    return `${named(request, name)}=${raw}; ${age}Path=${path}; HttpOnly; ${secure}SameSite=Lax`
  }

  return {
    /** The value; undefined when the cookie is not there or not signed by us. */
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
    /** Gives `Set-Cookie`. */
    write(request: Request, name: string, value: string, options: CookieOptions = {}): string {
      const raw = encodeURIComponent(`${value}.${sign(value).toString('base64')}`)
      return set(request, name, raw, options)
    },
    /** Takes it back. */
    end: (request: Request, name: string): string => set(request, name, '', { maxAgeMs: 0 }),
  }
}
