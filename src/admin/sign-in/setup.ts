import { randomBytes } from 'node:crypto'
import { addressKey } from '../../lib/addresses.ts'
import type { TextSealer } from '../../lib/secrets.ts'
import type { SignInStore } from '../../store/ports/sign-in.ts'
import { ApiError } from '../api-error.ts'
import type { Outcome, SignInCore } from './core.ts'
import { canSignIn, checkNewPassword } from './hashing.ts'
import { isSame } from './totp.ts'

/** Who becomes the first administrator. */
interface SetupEntry {
  readonly code: string
  readonly email: string
  readonly password: string
}

/** Set-up: while nobody can sign in as an administrator, who has the code makes one. */
export function createSetup(core: SignInCore) {
  const { store, setupCode, passwords, sessions, limits, facts, log } = core

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
      const hash = await passwords.hash({ isKnown: true, shares: [] }, entry.password)
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
      const account = made !== 'closed' && (await store.account({ email: entry.email }))
      if (!account) throw new ApiError('setup_closed', 'There is an administrator already.')
      log.info('first administrator', { [made]: true })
      return { data: null, cookies: await sessions.start(request, account, { method: 'set-up' }) }
    },
  }
}

/** The one-time code that makes the first administrator: the same on all nodes, whichever is asked. */
export interface SetupCode {
  /** The code; made when there is none. Nodes that start together end with the same one. */
  open(): Promise<string>
  isOpen(): Promise<boolean>
  /** Takes as long for every guess. False when there is no code. */
  matches(guess: string): Promise<boolean>
  /** Forgets it, for all nodes. */
  close(): Promise<void>
}

interface SetupCodeParts {
  readonly store: Pick<SignInStore, 'keepPending' | 'pending' | 'takePending'>
  readonly sealer: TextSealer
}

const id = 'set-up'

/** It is kept in the database, sealed: who reads that must not become an administrator by it. */
export function createSetupCode({ store, sealer }: SetupCodeParts): SetupCode {
  /** The oldest counts. One that another secret has sealed is none. */
  async function find(): Promise<string | undefined> {
    const kept = await store.pending(id)
    return kept.map(({ data }) => sealer.open(data)).find((code) => code !== undefined)
  }

  async function make(): Promise<void> {
    // In hex: nothing in it looks like a key, which a log would hide.
    const data = sealer.seal(randomBytes(24).toString('hex'))
    await store.keepPending({ id, accountId: null, data, expiresAt: Number.MAX_SAFE_INTEGER })
  }

  return {
    async open() {
      if ((await find()) === undefined) await make()
      const code = await find() // another node may have made one first
      if (code === undefined) throw new Error('The set-up code was not stored.')
      return code
    },
    isOpen: async () => (await find()) !== undefined,
    async matches(guess) {
      const code = await find()
      return code !== undefined && isSame(code, guess)
    },
    async close() {
      await store.takePending(id)
    },
  }
}
