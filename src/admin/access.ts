import { Elysia } from 'elysia'
import type { Clock } from '../lib/clock.ts'
import { ApiError } from './api-error.ts'
import { readJson } from './read-json.ts'
import { createThrottle } from './sign-in/limits.ts'
import { remember, requireWhole } from './whole-body.ts'

export interface SignedIn {
  readonly accountId: number
  readonly email: string
  /** Whether an operator has vouched for the address; false for an account that registered itself. */
  readonly isVouched: boolean
  readonly role: 'admin' | 'user'
  readonly sessionId: string
  /** Milliseconds since 1970. */
  readonly signedInAt: number
}

export interface Sessions {
  find(request: Request): Promise<SignedIn | undefined>
}

export type Role = 'user' | 'admin'

export type Guard = ReturnType<typeof createGuard>

/**
 * Creates the guards of the console's routes. Before a body is parsed, a guard refuses requests without a
 * session (401), without the role (403), and from pages of other sites (403). A body is JSON of at most
 * 1 MiB, or is left to the handler. Handlers get `who`. `origins`: of the console, besides the request's own
 * host.
 */
export function createGuard(sessions: Sessions, origins: () => readonly string[]) {
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

  /** Identifies each request once, for its parser and its handler. */
  function who(request: Request, role: Role): Promise<SignedIn> {
    const found = known.get(request) ?? identify(request, role)
    known.set(request, found)
    return found
  }

  return (role: Role, body: 'json' | 'unread' = 'json') =>
    new Elysia({ name: 'admin.guard', seed: role + body })
      .onParse({ as: 'scoped' }, async ({ request }) => {
        await who(request, role)
        // Null: no other parser reads the body.
        return body === 'unread' ? null : remember(request, await readJson(request))
      })
      // Requests without a body skip the parser, and their query is validated before `resolve`.
      .onTransform({ as: 'scoped' }, async ({ request }) => {
        await who(request, role)
      })
      .resolve({ as: 'scoped' }, async ({ request, body }) => {
        requireWhole(request, body)
        return { who: await who(request, role) }
      })
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Refuses changes that a page of another site sends. Browsers name the origin of every such request. */
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

/** A proxy may terminate TLS, so only the host is compared. */
function isOwn(origin: string, request: Request): boolean {
  const host = request.headers.get('host')
  return host !== null && URL.canParse(origin) && new URL(origin).host === host
}

/** 600 requests at once, then 10 a second: more than the console's pages need. */
const ofSession = { burst: 600, everyMs: 100 }
const ofAccount = { burst: 1_200, everyMs: 50 }

const tooMuch = (what: string) => (seconds: number) =>
  `Too many requests of this ${what}. Try again in ${seconds} seconds; lists can be exported at once.`

/** Limits the rate of each session and account; throws 429. `tick` counts milliseconds. */
export function limitSessions(sessions: Sessions, tick: Clock): Sessions {
  const bySession = createThrottle({ ...ofSession, clock: tick }, tooMuch('session'))
  const byAccount = createThrottle({ ...ofAccount, clock: tick }, tooMuch('account'))
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
