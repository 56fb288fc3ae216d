import { randomBytes } from 'node:crypto'
import { addressKey } from '../../lib/addresses.ts'
import type { TextSealer } from '../../lib/secrets.ts'
import type { SignInStore } from '../../store/ports/sign-in.ts'
import { ApiError } from '../api-error.ts'
import type { Outcome, SignInCore } from './core.ts'
import { checkNewPassword, requireAddress } from './hashing.ts'
import { isSame } from './totp.ts'

interface SetupEntry {
  readonly code: string
  readonly email: string
  readonly password: string
}

const whyNot = {
  taken:
    'There is an account with this address and a password already. Give another address, or ' +
    'run: tollgate account set EMAIL --role admin',
  claimed:
    'An account with this address registered itself, and nobody has vouched for it: it may be ' +
    "somebody else's. Give another address, or, if you know that it is yours, run: " +
    'tollgate account set EMAIL --vouch --role admin',
}

/** Set-up: while no administrator can sign in, the code creates one. */
export function createSetup(core: SignInCore) {
  const { store, setupCode, passwords, sessions, limits, facts, log } = core

  async function isOpen(): Promise<boolean> {
    const hasCode = await setupCode.isOpen()
    if (!hasCode || !(await store.hasAdministrator())) return hasCode
    await setupCode.close()
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
          'It was mistyped, or is of an earlier start. While there is no administrator, the gateway ' +
            'shows a new one in its log at each start.',
          { field: 'code' },
        )
      }
      requireAddress(entry.email)
      checkNewPassword(entry.password, 'password')
      const hash = await passwords.hash({ isKnown: true, shares: [] }, entry.password)
      const made = await store.makeAdministrator(entry.email, hash)
      if (made === 'taken' || made === 'claimed')
        throw new ApiError('name_taken', whyNot[made], { field: 'email' })
      await setupCode.close()
      const account = made !== 'closed' && (await store.account({ email: entry.email }))
      if (!account) throw new ApiError('setup_closed', 'There is an administrator already.')
      log.info('first administrator', { [made]: true })
      return { data: null, cookies: await sessions.start(request, account, { method: 'set-up' }) }
    },
  }
}

export type SetupCode = ReturnType<typeof createSetupCode>

const id = 'set-up'

/** The one-time code that creates the first administrator: the same on all nodes, sealed in the database. */
export function createSetupCode(store: SignInStore, sealer: TextSealer) {
  /** The oldest code counts. A code sealed by another secret is ignored. */
  async function find(): Promise<string | undefined> {
    const kept = await store.pending(id)
    return kept.map(({ data }) => sealer.open(data)).find((code) => code !== undefined)
  }

  return {
    /** Returns the code, created if missing. Nodes that start concurrently get the same one. */
    async open(): Promise<string> {
      // In hex: it does not look like a key, which the log would redact.
      const made = () => sealer.seal(randomBytes(24).toString('hex'))
      const lasting = { id, accountId: null, expiresAt: Number.MAX_SAFE_INTEGER }
      if ((await find()) === undefined) await store.keepPending({ ...lasting, data: made() })
      const code = await find() // another node may have made one first
      if (code === undefined) throw new Error('The set-up code was not stored.')
      return code
    },
    isOpen: async () => (await find()) !== undefined,
    /** Takes the same time for every guess. False without a code. */
    async matches(guess: string): Promise<boolean> {
      const code = await find()
      return code !== undefined && isSame(code, guess)
    },
    /** Removes the code for all nodes. */
    close: () => store.takePending(id),
  }
}
