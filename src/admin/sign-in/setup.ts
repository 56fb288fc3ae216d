import { ApiError } from '../api-error.ts'
import { canSignIn } from './email.ts'
import type { Outcome, SignInCore } from './parts.ts'
import { checkNewPassword } from './passwords.ts'
import { addressKey } from './throttle.ts'

/** Who becomes the first administrator. */
export interface SetupEntry {
  readonly code: string
  readonly email: string
  readonly password: string
}

/** Set-up: while nobody can sign in as an administrator, who has the code makes one. */
export function createSetup(core: SignInCore) {
  const { store, setupCode, passwords, limits, facts, log, library } = core

  /** By this process: whoever asks later makes no more writing of it. */
  let isClosed = false

  async function close(): Promise<void> {
    if (isClosed) return
    await setupCode.close()
    isClosed = true
  }

  async function isOpen(): Promise<boolean> {
    if (!(await store.hasAdministrator())) return await setupCode.isOpen()
    await close()
    return false
  }

  return {
    isOpen,

    async create(request: Request, entry: SetupEntry): Promise<Outcome<null>> {
      const address = addressKey(facts.addressOf(request))
      limits.setup.take(`address ${address}`)
      if (!(await isOpen()) || !(await setupCode.matches(entry.code))) {
        log.warn('set-up refused', { address: facts.addressOf(request) })
        throw new ApiError(
          'setup_closed',
          'This link is not good any more. While there is no administrator, the gateway shows ' +
            'one in its log when it starts.',
          { field: 'code' },
        )
      }
      if (!canSignIn(entry.email)) {
        throw new ApiError('invalid_value', 'This is not an e-mail address.', {
          field: 'email',
          fault: 'unfit_email',
        })
      }
      checkNewPassword(entry.password, 'password')
      const hash = await passwords.hash(entry.password)
      const made = await store.makeAdministrator(entry.email, hash)
      if (made === 'taken') {
        throw new ApiError(
          'name_taken',
          'There is an account with this address and a password already. Give another address, or ' +
            'run: tollgate account set EMAIL --role admin',
          { field: 'email' },
        )
      }
      if (made === 'claimed') {
        throw new ApiError(
          'name_taken',
          'An account with this address registered itself, and nobody has vouched for it: it may be ' +
            "somebody else's. Give another address, or, if you know that it is yours, run: " +
            'tollgate account set EMAIL --vouch --role admin',
          { field: 'email' },
        )
      }
      await close()
      if (made === 'closed')
        throw new ApiError('setup_closed', 'There is an administrator already.')
      log.info('first administrator', { [made]: true })
      const body = { email: entry.email, password: entry.password }
      const call = { request, method: 'POST', path: '/sign-in/email', body } as const
      const { cookies } = await library.call(call)
      return { data: null, cookies }
    },
  }
}
