import { expect } from 'bun:test'
import { createHmac } from 'node:crypto'
import { type Running, type ServingOptions, startServing } from '../serving.ts'

/** The accounts of the scene. */
export const admin = { email: 'Root@example.com', password: 'correct-horse-battery' }
export const user = { email: 'user@example.com', password: 'another-long-password' }
export const wrong = 'not-the-password'

const accounts = [
  { email: admin.email, role: 'admin', password: admin.password },
  { email: 'second@example.com', password: 'a-third-long-password' },
]

/**
 * The whole app with an administrator who has a password. The test is a trusted proxy: each browser
 * has an address of its own, as guesses are counted by it.
 */
export const startSignIn = (more: Partial<ServingOptions> = {}): Promise<Running> =>
  startServing({
    upstream: 'http://127.0.0.1:9',
    moreAccounts: accounts,
    server: { trusted_proxies: ['127.0.0.1'] },
    isSeen: true,
    ...more,
  })

/** What an answer of the console's API is. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly cookies: readonly string[]
  readonly code: number
  readonly reason: string | undefined
  readonly field: string | undefined
  readonly data: { readonly [name: string]: unknown }
  readonly text: string
}

let browsers = 0

export type Browser = ReturnType<typeof createBrowser>

/** A browser with its cookies, that opened the console at `url`. */
export function createBrowser(url: string, headers: Record<string, string> = {}) {
  const number = ++browsers
  const address = `198.51.${100 + (number >> 8)}.${number & 255}`
  const jar = new Map<string, string>()

  async function send(method: string, path: string, body?: unknown, more = {}): Promise<Answer> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      proxy: false,
      headers: {
        ...(method !== 'GET' && { origin: url, 'sec-fetch-site': 'same-origin' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(cookie !== '' && { cookie }),
        'x-forwarded-for': address,
        ...headers,
        ...more,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const cookies = response.headers.getSetCookie()
    for (const one of cookies) keep(one)
    const text = await response.text()
    const json = text.startsWith('{') ? JSON.parse(text) : {}
    return { ...json, status: response.status, headers: response.headers, cookies, text }
  }

  function keep(cookie: string): void {
    const [pair = ''] = cookie.split(';')
    const at = pair.indexOf('=')
    if (/max-age=0/i.test(cookie)) jar.delete(pair.slice(0, at))
    else jar.set(pair.slice(0, at), pair.slice(at + 1))
  }

  return {
    jar,
    address,
    send,
    get: (path: string, more = {}) => send('GET', path, undefined, more),
    post: (path: string, body?: unknown, more = {}) => send('POST', path, body, more),
    delete: (path: string) => send('DELETE', path),
    signIn: (entry: { email: string; password: string }, more = {}) =>
      send('POST', '/api/v1/auth/sign-in/email', entry, more),
    /** The status of a request that needs a session. */
    status: async () => (await send('GET', '/api/v1/me')).status,
  }
}

/** The session of a browser, as its cookie holds it. */
export function sessionOf({ jar }: Browser): string {
  const value = jar.get('tollgate.session_token') ?? jar.get('__Secure-tollgate.session_token')
  expect(value).toBeString()
  return value ?? ''
}

/** What an authenticator app shows (RFC 6238). */
export function totp(base32: string, offset = 0): string {
  const bits = [...base32].map((char) => {
    const value = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char)
    return value < 0 ? '' : value.toString(2).padStart(5, '0')
  })
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const key = Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + offset))
  const mac = createHmac('sha1', key).update(counter).digest()
  const at = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
