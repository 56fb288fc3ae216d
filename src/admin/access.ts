import { Elysia } from 'elysia'
import type { Clock } from '../lib/clock.ts'
import { ApiError } from './api-error.ts'
import { readJson } from './read-json.ts'
import { createThrottle } from './sign-in/limits.ts'

/** Who is behind a request of the console. */
export interface SignedIn {
  readonly accountId: number
  readonly email: string
  /** Whether its address is known to be its owner's: the account did not just register itself. */
  readonly isVouched: boolean
  readonly role: 'admin' | 'user'
  readonly sessionId: string
  /** When the session began, in milliseconds since 1970. */
  readonly signedInAt: number
}

/** Finds out who asks, by the session cookie. */
export interface Sessions {
  find(request: Request): Promise<SignedIn | undefined>
}

export interface AccessParts {
  readonly sessions: Sessions
  /** Origins that the console is opened by, beside the one that a request names as its host. */
  readonly origins: () => readonly string[]
}

/** Who may use the routes behind a guard. */
export type Role = 'user' | 'admin'

export type Guard = ReturnType<typeof createGuard>

/**
 * Makes the guards of the console's routes. A guard refuses who is not signed in (401), has not the
 * role (403), or comes from a page of another site (403), before anything of a body is parsed; a
 * body is JSON of at most 1 MiB, or is left to the handler. Behind it handlers have `who`.
 */
export function createGuard({ sessions, origins }: AccessParts) {
  const known = new WeakMap<Request, Promise<SignedIn>>()

  async function identify(request: Request, role: Role): Promise<SignedIn> {
    checkOrigin(request, origins())
    const who = await sessions.find(request)
    if (!who) throw new ApiError('not_signed_in', 'Sign in first.')
    if (role === 'admin' && who.role !== 'admin') {
      throw new ApiError('not_allowed', 'Only administrators may do this.')
    }
    return who
  }

  /** Once for each request, whoever asks first: its parser or its handler. */
  function who(request: Request, role: Role): Promise<SignedIn> {
    const found = known.get(request) ?? identify(request, role)
    known.set(request, found)
    return found
  }

  return (role: Role, body: 'json' | 'unread' = 'json') =>
    new Elysia({ name: 'admin.guard', seed: role + body })
      .onParse({ as: 'scoped' }, async ({ request }) => {
        await who(request, role)
        // Null: it is dealt with, no other parser is to read it.
        return body === 'unread' ? null : readJson(request)
      })
      // A request without a body is parsed by nobody, and its address is checked before `resolve`.
      .onTransform({ as: 'scoped' }, async ({ request }) => {
        await who(request, role)
      })
      .resolve({ as: 'scoped' }, async ({ request }) => ({ who: await who(request, role) }))
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/**
 * Refuses what a page of another site sends. Browsers say where a request comes from whenever it
 * may change something; programs that say nothing carry no cookie of a person.
 */
export function checkOrigin(request: Request, origins: readonly string[]): void {
  if (safeMethods.has(request.method)) return
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site') ?? 'same-origin'
  const isOurs =
    origin === null ? site === 'same-origin' : isOwn(origin, request) || origins.includes(origin)
  if (isOurs) return
  const from = origin === null ? '' : ` (${origin})`
  throw new ApiError(
    'foreign_origin',
    `This came from another site${from}. Open the console by its own address.`,
  )
}

/** A proxy in front may take TLS away, so that only the host can be compared. */
function isOwn(origin: string, request: Request): boolean {
  const host = request.headers.get('host')
  return host !== null && URL.canParse(origin) && new URL(origin).host === host
}

/** What the console's pages and a person in a hurry never need: 600 requests at once, then 10 a second. */
const ofSession = { burst: 600, everyMs: 100 }
/** Of all its sessions together. */
const ofAccount = { burst: 1_200, everyMs: 50 }

const tooMuch = (what: string) => (seconds: number) =>
  `Too many requests of this ${what}. Try again in ${seconds} seconds; lists can be exported at once.`

/**
 * Counts what sessions ask, each request once, however long its answer is and wherever it is made. Throws
 * 429 for who asks without end. `tick` counts milliseconds.
 */
export function limitSessions(sessions: Sessions, tick: Clock): Sessions {
  const bySession = createThrottle({ ...ofSession, clock: tick, text: tooMuch('session') })
  const byAccount = createThrottle({ ...ofAccount, clock: tick, text: tooMuch('account') })
  const counted = new WeakSet<Request>()
  return {
    async find(request) {
      const who = await sessions.find(request)
      if (who === undefined || counted.has(request)) return who
      counted.add(request)
      bySession.take(who.sessionId)
      byAccount.take(String(who.accountId))
      return who
    },
  }
}
