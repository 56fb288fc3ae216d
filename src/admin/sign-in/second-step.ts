import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { counted, type Outcome, type SignInCore } from './parts.ts'

/** A code as it is kept for a while when it was used. */
export const codeHash = (secrets: SignInCore['secrets'], code: string): string =>
  secrets.keyedHash(`used code:${code.trim()}`)

/** What is typed as the second factor: a code of the app, or one of the backup codes. */
export interface SecondFactor {
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
        const reply = await library.call({ request, method: 'POST', path, body })
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
