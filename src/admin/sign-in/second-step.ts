import { counted, type Outcome, type SignInCore } from './parts.ts'

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
  const { library, sessions, log, facts } = core
  return async (
    request: Request,
    { code, isBackup, trust }: SecondFactor,
  ): Promise<Outcome<null>> => {
    const path = isBackup ? '/two-factor/verify-backup-code' : '/two-factor/verify-totp'
    const body = { code, trustDevice: trust }
    try {
      const reply = await counted(core, { request, account: undefined }, () =>
        library.call({ request, method: 'POST', path, body }),
      )
      const who = await sessions.startedBy(request, reply.cookies)
      if (who) log.info('signed in', { account_id: who.accountId, method: 'second factor' })
      return { data: null, cookies: reply.cookies }
    } catch (error) {
      log.warn('second factor refused', { address: facts.addressOf(request) })
      throw error
    }
  }
}
