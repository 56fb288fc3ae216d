import type { Clock } from '../../lib/clock.ts'
import type { SecretBox } from '../../lib/secrets.ts'
import type { SignInStore } from '../../store/ports/sign-in.ts'
import type { Sessions, SignedIn } from '../access.ts'
import { librarySecret, readSignedCookie, sessionTokenHash } from './secrets.ts'

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
export const sessionCookie = (isSecure: boolean) =>
  `${isSecure ? '__Secure-' : ''}tollgate.session_token`

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
