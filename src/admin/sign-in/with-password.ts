import { ApiError } from '../api-error.ts'
import { counted, type Outcome, type SignInCore } from './parts.ts'
import { checkNewPassword } from './passwords.ts'
import { endedCookie } from './sessions.ts'
import { addressKey } from './throttle.ts'

/** What is typed to sign in. */
export interface PasswordEntry {
  readonly email: string
  readonly password: string
  /** False: the cookie goes when the browser is closed. */
  readonly remember: boolean
}

/** Signed in, or asked for a second factor first. */
export interface Entered {
  readonly two_factor: boolean
}

/** Signing in and up with e-mail address and password, and proving a password anew. */
export function createPasswordSignIn(core: SignInCore) {
  const { store, library, passwords, sessions, limits, facts, log } = core

  /** The account that an address belongs to: failures are logged by its id, never by what was typed. */
  async function accountIdOf(email: string): Promise<number | null> {
    const where = { column: 'email', operator: 'eq', value: email, connector: 'AND' } as const
    const [row] = await store.records.find('account', { where: [where], limit: 1 })
    return typeof row?.id === 'number' ? row.id : null
  }

  async function signIn(request: Request, entry: PasswordEntry): Promise<Outcome<Entered>> {
    const email = entry.email.toLowerCase()
    const before = await sessions.find(request)
    const body = { email, password: entry.password, rememberMe: entry.remember }
    try {
      const reply = await counted(core, { request, account: `e-mail ${email}` }, () =>
        library.call({ request, method: 'POST', path: '/sign-in/email', body }),
      )
      const who = await sessions.startedBy(request, reply.cookies)
      const needsCode = reply.data.twoFactorRedirect === true
      // Its cookie goes with the first step, so that the second would not find it.
      if (before && (who || needsCode))
        await store.endSessions(before.accountId, { id: Number(before.sessionId) })
      if (who) log.info('signed in', { account_id: who.accountId, method: 'password' })
      return { data: { two_factor: needsCode }, cookies: reply.cookies }
    } catch (error) {
      const reason = error instanceof ApiError ? error.reason : 'internal'
      const address = facts.addressOf(request)
      log.warn('sign-in refused', { account_id: await accountIdOf(email), reason, address })
      throw error
    }
  }

  async function signUp(
    request: Request,
    { email, password, name }: { email: string; password: string; name: string },
  ): Promise<Outcome<null>> {
    if (!core.settings().mayRegister) {
      throw new ApiError('registration_closed', 'New accounts are not taken here.')
    }
    limits.registration.take(addressKey(facts.addressOf(request)))
    checkNewPassword(password, 'password')
    const body = { email, password, name }
    const reply = await library.call({ request, method: 'POST', path: '/sign-up/email', body })
    const who = await sessions.startedBy(request, reply.cookies)
    log.info('signed up', { account_id: who?.accountId ?? null })
    return { data: null, cookies: reply.cookies }
  }

  return {
    signIn,
    signUp,

    async signOut(request: Request): Promise<Outcome<null>> {
      const who = await sessions.find(request)
      if (who) await store.endSessions(who.accountId, { id: Number(who.sessionId) })
      return { data: null, cookies: [endedCookie(facts.isSecure(request))] }
    },

    /**
     * Whether it is the password of an account that is signed in: before a key is shown. Throws 429
     * after too many guesses. False for an account without a password.
     */
    async passwordMatches(accountId: number, password: string): Promise<boolean> {
      const key = `account ${accountId}`
      limits.account.take(key)
      const hash = await store.passwordHash(accountId)
      const matches = hash !== null && (await passwords.verify(password, hash))
      if (matches) limits.account.giveBack(key)
      return matches
    },
  }
}
