import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import type { SecondFactor, SignInAccount } from '../../store/ports/sign-in.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { signInSecret } from './cookies.ts'
import { beginAgain, type Outcome, type SignInCore } from './core.ts'
import { counted } from './limits.ts'
import type { OwnPassword } from './password.ts'

/** Guesses at one first step. */
const mostTries = 5
/** So many wrong codes in a row lock the second factor of an account. */
const lock = { after: 10, ms: 900_000 }

/** What is typed as the second factor: a code of the app, or one of the backup codes. */
interface TypedCode {
  readonly code: string
  readonly isBackup: boolean
  /** True: this browser is not asked again for 30 days. */
  readonly trust: boolean
}

const wrongCode = (why: string) =>
  new ApiError('wrong_code', `The code is wrong, or ${why}.`, { field: 'code' })

/** A code as it is kept for a while when it was used. */
const codeHash = ({ keyedHash }: SignInCore['secrets'], code: string): string =>
  keyedHash(`used code:${code}`)

export type SecondSteps = ReturnType<typeof createSecondSteps>

/** The code that is asked for after the password. */
export function createSecondSteps(core: SignInCore) {
  const { store, sessions, facts, secrets, clock, watchRefusals } = core
  const sealed = createFactorSeal(secrets)

  const trust = (request: Request, accountId: number) =>
    sessions.begin(request, 'trustedDevice', { accountId })

  /** Spends a backup code. */
  async function takeBackupCode(accountId: number, { backupCodes }: SecondFactor, code: string) {
    const codes: string[] = JSON.parse(sealed.open(accountId, backupCodes))
    const kept = codes.filter((one) => !isSame(one, code))
    if (kept.length === codes.length) return false
    return store.replaceBackupCodes(accountId, backupCodes, sealed.seal(accountId, kept))
  }

  /** Takes a guess at the code; a wrong one leaves the first step open for the next. */
  async function enter(request: Request, { code, isBackup }: TypedCode) {
    const pending = await sessions.take(request, 'twoFactor')
    const account = await store.account({ id: pending?.accountId ?? 0 })
    const factor = account && (await store.secondFactor(account.id))
    if (pending === undefined || account === undefined || !factor?.isOn) throw beginAgain()
    const { tries, remember }: FirstStep = JSON.parse(pending.data)
    if (tries >= mostTries) throw beginAgain('Too many wrong codes. Begin again.')
    const again = (tries: number) =>
      store.keepPending({ ...pending, data: JSON.stringify({ tries, remember }) })
    if ((factor.lockedUntil ?? 0) > clock()) {
      await again(tries)
      const text = 'Too many wrong codes. Try again in a quarter of an hour.'
      throw new ApiError('too_many_requests', text, { retryAfterSeconds: lock.ms / 1000 })
    }
    const isRight = isBackup
      ? await takeBackupCode(account.id, factor, code)
      : await isCodeOf(sealed.open(account.id, factor.secret), code, clock())
    if (!isRight) {
      await store.noteWrongCode(account.id, lock)
      await again(tries + 1)
      throw wrongCode(isBackup ? 'was used before' : 'too old')
    }
    // Somebody may have looked over a shoulder: each code opens one session.
    if (!(await store.takeCode(account.id, codeHash(secrets, code))))
      throw beginAgain('This code was used already. Begin again, with the next one.')
    return { account, remember }
  }

  return {
    /** What signs in without a code: cookies, of a trusted device. Undefined: a code is needed. */
    async enterTrusted(request: Request, account: SignInAccount) {
      if (!account.hasSecondFactor) return []
      const trusted = await sessions.take(request, 'trustedDevice')
      return trusted?.accountId === account.id ? [await trust(request, account.id)] : undefined
    },

    begin(request: Request, account: SignInAccount, remember: boolean): Promise<string> {
      const first: FirstStep = { tries: 0, remember }
      const data = JSON.stringify(first)
      return sessions.begin(request, 'twoFactor', { accountId: account.id, data })
    },

    finish(request: Request, typed: TypedCode): Promise<Outcome<null>> {
      const about = () => ({ address: facts.addressOf(request) })
      return watchRefusals('second factor refused', about, async () => {
        const entry = { ...typed, code: typed.code.trim() }
        const { account, remember } = await counted(core, { request, account: undefined }, () =>
          enter(request, entry),
        )
        const way = { method: 'second factor', remember }
        const cookies = await sessions.start(request, account, way)
        const trusted = typed.trust ? [await trust(request, account.id)] : []
        return { data: null, cookies: [...cookies, ...trusted] }
      })
    },
  }
}

interface FirstStep {
  readonly tries: number
  readonly remember: boolean
}

/** The second factor of who is signed in. */
export function createOwnFactor(core: SignInCore, password: OwnPassword) {
  const { store, sessions, secrets, clock } = core
  const sealed = createFactorSeal(secrets)

  const missing = () => new ApiError('invalid_value', 'There is no second factor yet.')

  async function changed(request: Request, { accountId: id, email }: SignedIn, action: string) {
    await store.note(email, action, email)
    return { data: null, cookies: await sessions.start(request, { id, email }, {}) }
  }

  return {
    /** The first right code puts it in force. */
    async enable(who: SignedIn, typed: string) {
      await password.require(who, typed)
      const secret = randomBytes(24).toString('base64url')
      const codes = makeBackupCodes()
      const { accountId } = who
      const kept = [sealed.seal(accountId, secret), sealed.seal(accountId, codes)] as const
      if (!(await store.offerSecondFactor(accountId, ...kept)))
        throw new ApiError('conflict', 'There is a second factor already. Remove it first.')
      const totp = await totpOf(secret, { issuer: core.settings().siteName, label: who.email })
      return { totp_uri: totp.toString(), backup_codes: codes }
    },

    async confirm(request: Request, who: SignedIn, typed: string): Promise<Outcome<null>> {
      const { accountId } = who
      const code = typed.trim()
      const factor = await store.secondFactor(accountId)
      if (factor === undefined) throw missing()
      await counted(core, { request, account: `account ${accountId}` }, async () => {
        const secret = sealed.open(accountId, factor.secret)
        if (!(await isCodeOf(secret, code, clock()))) throw wrongCode('too old')
      })
      await store.turnOnSecondFactor(accountId)
      await store.takeCode(accountId, codeHash(secrets, code))
      return changed(request, who, 'account.2fa_on')
    },

    async disable(request: Request, who: SignedIn, typed: string): Promise<Outcome<null>> {
      await password.require(who, typed)
      await store.removeSecondFactor(who.accountId)
      return changed(request, who, 'account.2fa_off')
    },

    async newBackupCodes(who: SignedIn, typed: string) {
      const factor = await store.secondFactor(who.accountId)
      if (!factor?.isOn) throw missing()
      await password.require(who, typed)
      const codes = makeBackupCodes()
      const to = sealed.seal(who.accountId, codes)
      if (!(await store.replaceBackupCodes(who.accountId, factor.backupCodes, to)))
        throw new ApiError('conflict', 'The codes were just changed elsewhere. Try again.')
      return { backup_codes: codes }
    },
  }
}

async function totpOf(secret: string, named: { issuer?: string; label?: string } = {}) {
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({ ...named, secret: Secret.fromUTF8(secret) })
}

/** The codes of one step before and after are taken, too: clocks differ. */
async function isCodeOf(secret: string, code: string, now: number): Promise<boolean> {
  const totp = await totpOf(secret)
  return totp.validate({ token: code, window: 1, timestamp: now }) !== null
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function makeBackupCodes(): string[] {
  const part = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: 10 }, () => `${part()}-${part()}`)
}

/** Takes as long for every guess. */
export function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

/** Of what was sealed before the gateway had its own way: version 1, nonce and text in hex. */
const former = '$ba$1$'

/** Seals what belongs to the second factor of an account, and is good for no other. */
function createFactorSeal(secrets: SignInCore['secrets']) {
  const owner = (accountId: number) => `second factor of account ${accountId}`
  return {
    seal(accountId: number, value: string | readonly string[]): string {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      const bytes = secrets.bytes.seal(Buffer.from(text), owner(accountId))
      return Buffer.from(bytes).toString('base64url')
    },
    /** Throws for what another secret has sealed. */
    open(accountId: number, text: string): string {
      const opened = text.startsWith(former)
        ? openFormer(signInSecret(secrets), text.slice(former.length))
        : secrets.bytes.open(Buffer.from(text, 'base64url'), owner(accountId))
      if (opened === undefined) throw new Error('A second factor was sealed with another secret.')
      return Buffer.from(opened).toString()
    },
  }
}

function openFormer(secret: string, hex: string): Uint8Array {
  const key = new Uint8Array(createHash('sha256').update(secret).digest())
  const bytes = new Uint8Array(Buffer.from(hex, 'hex'))
  return xchacha20poly1305(key, bytes.subarray(0, 24)).decrypt(bytes.subarray(24))
}
