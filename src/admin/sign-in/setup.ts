import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { addressKey } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import type { TextSealer } from '../../lib/secrets.ts'
import type { SignInRecords } from '../../store/ports/sign-in.ts'
import { ApiError } from '../api-error.ts'
import type { Outcome, SignInCore } from './limits.ts'
import { canSignIn, checkNewPassword } from './passwords.ts'

/** Who becomes the first administrator. */
interface SetupEntry {
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
      const { cookies } = await library.call(request, { path: '/sign-in/email', body })
      return { data: null, cookies }
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
  readonly records: Pick<SignInRecords, 'create' | 'find' | 'remove'>
  readonly sealer: TextSealer
  readonly clock: Clock
}

const identifier = 'set-up'
const ours = [
  { column: 'identifier', operator: 'eq', value: identifier, connector: 'AND' },
] as const

/** It is kept in the database, sealed: who reads that must not become an administrator by it. */
export function createSetupCode({ records, sealer, clock }: SetupCodeParts): SetupCode {
  /** The oldest counts. One that another secret has sealed is none. */
  async function find(): Promise<string | undefined> {
    const rows = await records.find('verification', { where: ours, limit: 100 })
    return rows.map(({ value }) => sealer.open(String(value))).find((code) => code !== undefined)
  }

  async function make(): Promise<void> {
    // In hex: nothing in it looks like a key, which a log would hide.
    const value = sealer.seal(randomBytes(24).toString('hex'))
    const now = clock()
    const times = { created_at: now, updated_at: now, expires_at: Number.MAX_SAFE_INTEGER }
    await records.create('verification', { identifier, value, ...times })
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
      return code !== undefined && timingSafeEqual(hashOf(code), hashOf(guess))
    },
    async close() {
      await records.remove('verification', ours)
    },
  }
}

const hashOf = (code: string): Uint8Array => createHash('sha256').update(code).digest()
