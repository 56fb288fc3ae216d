import { createHash, randomBytes } from 'node:crypto'
import { isoTime } from '../../lib/format.ts'
import type { Pending, SignInAccount } from '../../store/ports/sign-in.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { createCookies } from './cookies.ts'
import type { SignInParts } from './core.ts'
import type { SessionList } from './schema.ts'

const dayMs = 86_400_000

/** State between two requests: its cookie, and how long it is valid. */
const purposes = {
  /** The second step of signing in. */
  twoFactor: { cookie: 'two_factor', prefix: 'two-factor-', ms: 600_000 },
  /** A trusted device: no code is asked for. */
  trustedDevice: { cookie: 'trust_device', prefix: 'trust-device-', ms: 30 * dayMs },
  passkey: { cookie: 'passkey', prefix: 'passkey-', ms: 300_000 },
  provider: { cookie: 'state', prefix: 'state-', ms: 600_000 },
} as const

type Purpose = keyof typeof purposes

interface SignInWay {
  /** The method, for the log; absent: the session replaces another one. */
  readonly method?: string
  /** False: a session cookie. Absent: as the previous session. */
  readonly remember?: boolean | undefined
}

const sessionCookie = 'session_token'
/** Marks tokens of sessions with a session cookie. */
const unkeptMark = '~'
const deviceCookie = 'device'
/** Accounts that a browser is known for. */
const mostAccounts = 5

const randomName = () => randomBytes(24).toString('base64url')
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')

export type CookieSessions = ReturnType<typeof createSessions>

/**
 * Sessions and known browsers, by cookies. Sessions are not cached: a look-up costs microseconds, and
 * signing out, disabling and a change of role hold at the next request.
 */
export function createSessions(parts: Omit<SignInParts, 'settings' | 'setupCode'>) {
  const { store, secrets, clock, facts, log } = parts
  const cookies = createCookies(parts)
  /** Tokens are stored hashed: a copy of the database opens no session. */
  const tokenHash = (token: string) => secrets.keyedHash(`session:${token}`)
  const markOf = (email: string) =>
    secrets.keyedHash(`known device:${email.toLowerCase()}`).slice(0, 20)

  async function find(request: Request): Promise<SignedIn | undefined> {
    const token = cookies.read(request, sessionCookie)
    const found = token === undefined ? undefined : await store.session(tokenHash(token), clock())
    if (!found) return undefined
    const { id, accountId, email, isVouched, role, createdAt } = found
    return { accountId, email, isVouched, role, sessionId: String(id), signedInAt: createdAt }
  }

  /** Ends the browser's session. Returns the cookie that deletes its own. */
  async function end(request: Request): Promise<string> {
    const who = await find(request)
    if (who) await store.endSessions(who.accountId, { id: Number(who.sessionId) })
    return cookies.end(request, sessionCookie)
  }

  /** The browser's id and marks of the addresses it has signed in with. It grants nothing. */
  const readDevice = (request: Request) => cookies.read(request, deviceCookie)?.split('~') ?? []

  function rememberDevice(request: Request, email: string, isKept: boolean): string {
    const [id = crypto.randomUUID(), ...marks] = readDevice(request)
    const mark = markOf(email)
    const kept = [mark, ...marks.filter((one) => one !== mark)].slice(0, mostAccounts)
    const maxAgeMs = isKept ? 400 * dayMs : undefined
    const options = { maxAgeMs, path: '/api/v1/auth' }
    return cookies.write(request, deviceCookie, [id, ...kept].join('~'), options)
  }

  return {
    find,
    end,

    /** Opens a session and ends the browser's previous one. Returns the cookies. */
    async start(
      request: Request,
      { id, email }: Pick<SignInAccount, 'id' | 'email'>,
      { method, remember }: SignInWay,
    ): Promise<readonly string[]> {
      const isKept = remember ?? !cookies.read(request, sessionCookie)?.endsWith(unkeptMark)
      await end(request)
      const token = randomName() + (isKept ? '' : unkeptMark)
      const lifeMs = isKept ? 7 * dayMs : dayMs
      await store.startSession({
        ...{ accountId: id, tokenHash: tokenHash(token), expiresAt: clock() + lifeMs },
        address: facts.addressOf(request),
        userAgent: request.headers.get('user-agent') ?? '',
      })
      if (method !== undefined) log.info('signed in', { account_id: id, method })
      const options = { maxAgeMs: isKept ? lifeMs : undefined }
      const cookie = cookies.write(request, sessionCookie, token, options)
      return [cookie, rememberDevice(request, email, isKept)]
    },

    async list({ accountId, sessionId }: SignedIn): Promise<SessionList> {
      const rows = await store.sessions(accountId, clock())
      return rows.map(({ id, createdAt, expiresAt, address, userAgent }) => ({
        id: String(id),
        created_at: isoTime(createdAt),
        expires_at: isoTime(expiresAt),
        ...{ address, user_agent: userAgent },
        is_current: String(id) === sessionId,
      }))
    },

    async endOne({ accountId }: SignedIn, id: string): Promise<void> {
      const isId = /^\d{1,15}$/.test(id)
      const ended = isId ? await store.endSessions(accountId, { id: Number(id) }) : 0
      if (ended === 0) throw new ApiError('not_found', `There is no session ${id}; it may be over.`)
    },

    /** Returns the number of ended sessions. */
    endOthers: ({ accountId, sessionId }: SignedIn): Promise<number> =>
      store.endSessions(accountId, { except: Number(sessionId) }),

    /** The browser's name, if it has signed in with this address before. */
    deviceOf(request: Request, email: string): string | undefined {
      const [id, ...marks] = readDevice(request)
      return marks.includes(markOf(email)) ? id : undefined
    },

    /** Stores state for the browser; returns its cookie. */
    async begin(
      request: Request,
      what: Purpose,
      { accountId = null, data = '' }: Partial<Pick<Pending, 'accountId' | 'data'>>,
    ): Promise<string> {
      const { cookie, prefix, ms } = purposes[what]
      const token = prefix + randomName()
      await store.keepPending({ id: hashOf(token), accountId, data, expiresAt: clock() + ms })
      return cookies.write(request, cookie, token, { maxAgeMs: ms })
    },

    /** Takes the browser's state, once. */
    async take(request: Request, what: Purpose): Promise<Pending | undefined> {
      const { cookie, prefix } = purposes[what]
      // Earlier versions put a mark before tokens of trusted devices.
      const token = cookies.read(request, cookie)?.split('!').at(-1)
      return token?.startsWith(prefix) ? store.takePending(hashOf(token)) : undefined
    },
  }
}
