import { addressKey } from '../../lib/addresses.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { endedCookie } from './cookies.ts'
import { counted, countedRight, type Outcome, type SignInCore } from './limits.ts'
import { checkNewPassword, type Asking as InLine } from './passwords.ts'

/** What is typed to sign in. */
interface PasswordEntry {
  readonly email: string
  readonly password: string
  /** False: the cookie goes when the browser is closed. */
  readonly remember: boolean
}

/** Signed in, or asked for a second factor first. */
interface Entered {
  readonly two_factor: boolean
}

/** Who is to prove who they are. */
type Asking = Pick<SignedIn, 'accountId' | 'signedInAt'>

/** For so long after signing in a session is proof enough of an account that has no password. */
const freshMs = 600_000

/** Signing in and up with e-mail address and password, and proving a password anew. */
export function createPasswordSignIn(core: SignInCore) {
  const { store, library, passwords, sessions, limits, devices } = core
  const { facts, log, clock, refusals } = core

  /** The account that an address belongs to: failures are logged by its id, never by what was typed. */
  async function accountIdOf(email: string): Promise<number | null> {
    const where = { column: 'email', operator: 'eq', value: email, connector: 'AND' } as const
    const [row] = await store.records.find('account', { where: [where], limit: 1 })
    return typeof row?.id === 'number' ? row.id : null
  }

  /**
   * Strangers of one network, or who want the same account, wait for each other; so do those who are
   * known, who can make any number of browsers known for an account of their own.
   */
  const askingOf = (request: Request, email: string, device?: string): InLine => {
    const isKnown = device !== undefined
    const kind = isKnown ? 'known ' : ''
    const network = addressKey(facts.addressOf(request))
    return { isKnown, shares: [`${kind}network ${network}`, `${kind}e-mail ${email}`] }
  }

  async function signIn(request: Request, entry: PasswordEntry): Promise<Outcome<Entered>> {
    const email = entry.email.toLowerCase()
    const before = await sessions.find(request)
    const body = { email, password: entry.password, rememberMe: entry.remember }
    try {
      const isOwn = before?.email.toLowerCase() === email
      const device = devices.find(request, email) ?? (isOwn ? before.sessionId : undefined)
      const asking = askingOf(request, email, device)
      const call = { path: '/sign-in/email', body }
      const reply = await counted(core, { request, account: `e-mail ${email}`, device }, () =>
        passwords.inNameOf(asking, () => library.call(request, call)),
      )
      const who = await sessions.startedBy(request, reply.cookies)
      const needsCode = reply.data.twoFactorRedirect === true
      // Its cookie goes with the first step, so that the second would not find it.
      if (before && (who || needsCode))
        await store.endSessions(before.accountId, { id: Number(before.sessionId) })
      if (who) log.info('signed in', { account_id: who.accountId, method: 'password' })
      const cookies = who ? [devices.remember(request, email, entry.remember)] : []
      return { data: { two_factor: needsCode }, cookies: [...reply.cookies, ...cookies] }
    } catch (error) {
      await refusals.note('sign-in refused', error, async () => ({
        account_id: await accountIdOf(email),
        address: facts.addressOf(request),
      }))
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
    const call = { path: '/sign-up/email', body }
    const asking = askingOf(request, email.toLowerCase())
    const reply = await passwords.inNameOf(asking, () => library.call(request, call))
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
     * Makes sure that it is the owner of an account who asks for what a session alone must not have: by
     * the password, or by a fresh session where the account has none. Throws `wrong_password`,
     * `sign_in_again`, or 429 after too many guesses.
     */
    async prove({ accountId, signedInAt }: Asking, password: string | null): Promise<void> {
      const hash = await store.passwordHash(accountId)
      if (hash === null) {
        if (clock() - signedInAt <= freshMs) return
        throw new ApiError(
          'sign_in_again',
          'This account has no password: sign out and in again, then do this within ten minutes.',
        )
      }
      const key = `account ${accountId}`
      limits.account.take(key)
      const asking = { isKnown: true, shares: [key] }
      await countedRight(limits, key, async () => {
        const verify = () => passwords.verify(password ?? '', hash)
        if (await passwords.inNameOf(asking, verify)) return
        throw new ApiError('wrong_password', 'This is not your password.', { field: 'password' })
      })
      limits.account.giveBack(key)
    },
  }
}

/** A code as it is kept for a while when it was used. */
export const codeHash = (secrets: SignInCore['secrets'], code: string): string =>
  secrets.keyedHash(`used code:${code.trim()}`)

/** What is typed as the second factor: a code of the app, or one of the backup codes. */
interface SecondFactor {
  readonly code: string
  readonly isBackup: boolean
  /** True: this browser is not asked again for 30 days. */
  readonly trust: boolean
}

/**
 * The second step of signing in. The library allows five guesses at each first step, and ten in a
 * row for an account; guesses are counted by address here.
 */
export function createSecondStep(core: SignInCore) {
  const { library, sessions, devices, log, facts, store, secrets, refusals } = core

  /** Somebody may have looked over a shoulder: each code opens one session. */
  async function requireUnused({ accountId, sessionId }: SignedIn, code: string): Promise<void> {
    if (await store.takeCode(accountId, codeHash(secrets, code))) return
    await store.endSessions(accountId, { id: Number(sessionId) })
    throw new ApiError('begin_again', 'This code was used already. Begin again, with the next one.')
  }
  return async (
    request: Request,
    { code, isBackup, trust }: SecondFactor,
  ): Promise<Outcome<null>> => {
    const path = isBackup ? '/two-factor/verify-backup-code' : '/two-factor/verify-totp'
    const body = { code, trustDevice: trust }
    try {
      const { reply, who } = await counted(core, { request, account: undefined }, async () => {
        const reply = await library.call(request, { path, body })
        const who = await sessions.startedBy(request, reply.cookies)
        if (who) await requireUnused(who, code)
        return { reply, who }
      })
      if (who) log.info('signed in', { account_id: who.accountId, method: 'second factor' })
      const cookies = who ? [devices.remember(request, who.email)] : []
      return { data: null, cookies: [...reply.cookies, ...cookies] }
    } catch (error) {
      const about = () => ({ address: facts.addressOf(request) })
      await refusals.note('second factor refused', error, about)
      throw error
    }
  }
}
