import { addressKey } from '../../lib/addresses.ts'
import type { Asking } from '../../lib/line.ts'
import type { SignInAccount } from '../../store/ports/sign-in.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import type { Outcome, SignInCore } from './core.ts'
import { checkNewPassword, requireAddress } from './hashing.ts'
import { counted, countedRight } from './limits.ts'
import type { SecondFactors } from './totp.ts'

interface PasswordEntry {
  readonly email: string
  readonly password: string
  /** False: a session cookie. */
  readonly remember: boolean
}

/** Without a password, a session younger than this proves the user's identity. */
const freshMs = 600_000

/** Signing in and registering with e-mail address and password. */
export function createPasswordSignIn(core: SignInCore, factors: SecondFactors) {
  const { store, passwords, sessions, limits, facts, log, watchRefusals } = core

  /** Waiters of one network or account share turns, known users too: they can make many browsers known. */
  const askingOf = (request: Request, email: string, device?: string): Asking => {
    const isKnown = device !== undefined
    const kind = isKnown ? 'known ' : ''
    const network = addressKey(facts.addressOf(request))
    return { isKnown, shares: [`${kind}network ${network}`, `${kind}e-mail ${email}`] }
  }

  /** Unknown addresses and wrong passwords get the same response after the same time. */
  async function check(asking: Asking, email: string, password: string): Promise<SignInAccount> {
    requireAddress(email)
    const account = await store.account({ email })
    const hash = account?.passwordHash ?? null
    const isRight = await passwords.verify(asking, password, hash)
    // The check waits in line: the password may have been replaced meanwhile.
    const isSame = isRight && hash === (await store.account({ email }))?.passwordHash
    if (isSame && account) return account
    throw new ApiError('wrong_credentials', 'The e-mail address or the password is wrong.')
  }

  return {
    signIn(request: Request, entry: PasswordEntry): Promise<Outcome<{ two_factor: boolean }>> {
      const { password, remember } = entry
      const email = entry.email.toLowerCase()
      const about = async () => ({
        account_id: (await store.account({ email }))?.id ?? null,
        address: facts.addressOf(request),
      })
      return watchRefusals('sign-in refused', about, async () => {
        const before = await sessions.find(request)
        const isOwn = before?.email.toLowerCase() === email
        const device = sessions.deviceOf(request, email) ?? (isOwn ? before.sessionId : undefined)
        const asking = askingOf(request, email, device)
        const guess = { request, account: `e-mail ${email}`, device }
        const account = await counted(core, guess, () => check(asking, email, password))
        const trusted = await factors.enterTrusted(request, account)
        if (trusted === undefined) {
          await sessions.end(request)
          const cookie = await factors.begin(request, account, remember)
          return { data: { two_factor: true }, cookies: [cookie] }
        }
        const started = await sessions.start(request, account, { method: 'password', remember })
        return { data: { two_factor: false }, cookies: [...started, ...trusted] }
      })
    },

    async signUp(
      request: Request,
      { email, password, name }: Omit<PasswordEntry, 'remember'> & { readonly name: string },
    ): Promise<Outcome<null>> {
      if (!core.settings().mayRegister)
        throw new ApiError('registration_closed', 'New accounts are not taken here.')
      limits.registration.take(addressKey(facts.addressOf(request)))
      checkNewPassword(password, 'password')
      requireAddress(email)
      const passwordHash = await passwords.hash(askingOf(request, email.toLowerCase()), password)
      const account = await store.openAccount({ email, name, passwordHash })
      if (account === undefined) {
        const text = 'This address can not be used for a new account. Sign in, if it is yours.'
        throw new ApiError('name_taken', text, { field: 'email' })
      }
      log.info('signed up', { account_id: account.id })
      const cookies = await sessions.start(request, account, { method: 'registration' })
      return { data: null, cookies }
    },

    signOut: async (request: Request): Promise<Outcome<null>> => ({
      data: null,
      cookies: [await sessions.end(request)],
    }),
  }
}

export type OwnPassword = ReturnType<typeof createOwnPassword>

/** Proving and changing the password of the signed-in user. */
export function createOwnPassword({ store, passwords, sessions, limits, clock }: SignInCore) {
  async function guess(accountId: number, password: string, hash: string | null): Promise<void> {
    const key = `account ${accountId}`
    limits.account.take(key)
    await countedRight(limits, key, async () => {
      const asking = { isKnown: true, shares: [key] }
      if (await passwords.verify(asking, password, hash)) return
      throw new ApiError('wrong_password', 'This is not your password.', { field: 'password' })
    })
    limits.account.release(key)
  }

  /** Throws `wrong_password`, also for an account without a password, or 429 after too many guesses. */
  const require = async ({ accountId }: SignedIn, password: string): Promise<void> =>
    guess(accountId, password, await store.passwordHash(accountId))

  return {
    require,

    /**
     * Proves the user's identity by the password or, without one, by a fresh session. Throws
     * `wrong_password`, `sign_in_again`, or 429 after too many guesses.
     */
    async prove(
      { accountId, signedInAt }: Pick<SignedIn, 'accountId' | 'signedInAt'>,
      password: string | null,
    ): Promise<void> {
      const hash = await store.passwordHash(accountId)
      if (hash !== null) return guess(accountId, password ?? '', hash)
      if (clock() - signedInAt <= freshMs) return
      throw new ApiError(
        'sign_in_again',
        'This account has no password: sign out and in again, then do this within ten minutes.',
      )
    },

    /** Ends all other sessions and forgets trusted devices. Returns the cookies of a new session. */
    async change(
      request: Request,
      who: SignedIn,
      { current, wanted }: { readonly current: string; readonly wanted: string },
    ): Promise<readonly string[]> {
      checkNewPassword(wanted, 'new_password')
      await require(who, current)
      const { accountId: id, email } = who
      const passwordHash = await passwords.hash({ isKnown: true, shares: [email] }, wanted)
      await store.setPassword({ account: email, passwordHash, actor: email })
      return sessions.start(request, { id, email }, {})
    },
  }
}
