import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { SecretBox } from '../../lib/secrets.ts'
import type { SignInStore } from '../../store/ports/sign-in.ts'
import type { Sessions, SignedIn } from '../access.ts'
import type { RequestFacts } from './call.ts'
import type { SignInParts } from './limits.ts'

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
function readSignedCookie(cookies: string, name: string, secret: string): string | undefined {
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

interface SessionParts {
  readonly store: Pick<SignInStore, 'session'>
  readonly secrets: Pick<SecretBox, 'keyedHash'>
  readonly clock: Clock
  /** Whether the request came by TLS: its cookie has another name then. */
  readonly isSecure: (request: Request) => boolean
}

/** The sessions that cookies stand for. */
export interface CookieSessions extends Sessions {
  /** Who is signed in by the cookies that answer a request (`Set-Cookie`); undefined: nobody. */
  startedBy(request: Request, cookies: readonly string[]): Promise<SignedIn | undefined>
}

/** What the cookie of a session is called. A browser takes `__Secure-` by TLS only. */
const sessionCookie = (isSecure: boolean) => `${isSecure ? '__Secure-' : ''}tollgate.session_token`

/** Takes the cookie of a session back (`Set-Cookie`). */
export const endedCookie = (isSecure: boolean) =>
  `${sessionCookie(isSecure)}=; Max-Age=0; Path=/; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Lax`

/**
 * Who is signed in, without the sign-in library. Nothing is kept in memory: a look-up by index costs
 * microseconds, and who is signed out, disabled or of another role is so at the next request.
 */
export function createSessions({ store, secrets, clock, isSecure }: SessionParts): CookieSessions {
  const secret = librarySecret(secrets)
  const hash = sessionTokenHash(secrets)

  async function read(cookies: string, isTls: boolean): Promise<SignedIn | undefined> {
    const token = readSignedCookie(cookies, sessionCookie(isTls), secret)
    const found = token === undefined ? undefined : await store.session(hash(token), clock())
    if (!found) return undefined
    const { id, accountId, email, isVouched, role, createdAt } = found
    return { accountId, email, isVouched, role, sessionId: String(id), signedInAt: createdAt }
  }

  return {
    find: (request) => read(request.headers.get('cookie') ?? '', isSecure(request)),
    startedBy(request, cookies) {
      const pairs = cookies.map((cookie) => cookie.split(';')[0] ?? '')
      return read(pairs.join('; '), isSecure(request))
    },
  }
}

/** How many accounts a browser is known for. */
const mostAccounts = 5
const keptSeconds = 400 * 86_400

/** A browser that has signed in before, by a cookie that only this gateway can write. */
export interface KnownDevices {
  /** A name for the browser, where it has signed in with this address before. */
  find(request: Request, email: string): string | undefined
  /** The cookie (`Set-Cookie`) that makes it known; not kept: until the browser is closed. */
  remember(request: Request, email: string, isKept?: boolean): string
}

const cookieName = (isSecure: boolean) => `${isSecure ? '__Secure-' : ''}tollgate.device`

/** The cookie opens nothing: it says who need not stand in line with strangers. */
export function createKnownDevices({
  secrets,
  facts,
}: Pick<SignInParts, 'secrets'> & {
  readonly facts: Pick<RequestFacts, 'isSecure'>
}): KnownDevices {
  const secret = librarySecret(secrets)
  const markOf = (email: string) =>
    secrets.keyedHash(`known device:${email.toLowerCase()}`).slice(0, 20)

  /** Its id, then marks of the addresses. */
  function read(request: Request): readonly string[] {
    const cookies = request.headers.get('cookie') ?? ''
    const value = readSignedCookie(cookies, cookieName(facts.isSecure(request)), secret)
    return value?.split('~') ?? []
  }

  return {
    find(request, email) {
      const [id, ...marks] = read(request)
      return marks.includes(markOf(email)) ? id : undefined
    },
    remember(request, email, isKept = true) {
      const isSecure = facts.isSecure(request)
      const [id = crypto.randomUUID(), ...marks] = read(request)
      const mark = markOf(email)
      const kept = [mark, ...marks.filter((one) => one !== mark)].slice(0, mostAccounts)
      const value = [id, ...kept].join('~')
      const signature = createHmac('sha256', secret).update(value).digest('base64')
      const cookie = encodeURIComponent(`${value}.${signature}`)
      return (
        `${cookieName(isSecure)}=${cookie}; ${isKept ? `Max-Age=${keptSeconds}; ` : ''}` +
        `Path=/api/v1/auth; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Lax`
      )
    },
  }
}
