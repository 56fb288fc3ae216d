import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import type { SecondFactor, SignInAccount } from '../../store/ports/sign-in.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { signInSecret } from './cookies.ts'
import { beginAgain, type Outcome, type SignInCore } from './core.ts'
import { counted } from './limits.ts'
import type { OwnPassword } from './password.ts'

/** Guesses per first step. */
const mostTries = 5
/** Consecutive wrong codes that lock an account's second factor. */
const lock = { after: 10, ms: 900_000 }

/** The second factor: a code of the app, or a backup code. */
interface TypedCode {
  readonly code: string
  readonly isBackup: boolean
  /** True: this browser is not asked again for 30 days. */
  readonly trust: boolean
}

const wrongCode = (why: string) =>
  new ApiError('wrong_code', `The code is wrong, or ${why}.`, { field: 'code' })

/** A used code, stored while it would be valid. */
const codeHash = ({ keyedHash }: SignInCore['secrets'], code: string): string =>
  keyedHash(`used code:${code}`)

export type SecondFactors = ReturnType<typeof createSecondFactors>

/** The second factor at sign-in, and its settings. */
export function createSecondFactors(core: SignInCore, password: OwnPassword) {
  const { store, sessions, facts, secrets, clock, watchRefusals } = core
  const { seal, open } = createFactorSeal(secrets)
  const sealCodes = (codes: readonly string[]) => seal(JSON.stringify(codes))
  const missing = () => new ApiError('invalid_value', 'There is no second factor yet.')

  const isThere = () =>
    new ApiError('conflict', 'There is a second factor already. Remove it first.')

  const trust = (request: Request, accountId: number) =>
    sessions.begin(request, 'trustedDevice', { accountId })

  const isCodeOf = async ({ secret }: SecondFactor, code: string): Promise<boolean> => {
    const totp = await totpOf(open(secret))
    // Clocks differ: the previous and the next code are accepted, too.
    return totp.validate({ token: code, window: 1, timestamp: clock() }) !== null
  }

  /** Uses up a backup code. */
  async function takeBackupCode(accountId: number, { backupCodes }: SecondFactor, code: string) {
    const codes: string[] = JSON.parse(open(backupCodes))
    const kept = codes.filter((one) => !isSame(one, code))
    if (kept.length === codes.length) return false
    return store.replaceBackupCodes(accountId, backupCodes, sealCodes(kept))
  }

  /** Takes a guess at the code; after a wrong one the first step stays open. */
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
      : await isCodeOf(factor, code)
    if (!isRight) {
      await store.noteWrongCode(account.id, lock)
      await again(tries + 1)
      throw wrongCode(isBackup ? 'was used before' : 'too old')
    }
    // Each code opens one session: it may have been observed.
    if (!(await store.takeCode(account.id, codeHash(secrets, code))))
      throw beginAgain('This code was used already. Begin again, with the next one.')
    return { account, remember }
  }

  async function changed(request: Request, { accountId: id, email }: SignedIn, action: string) {
    await store.note(email, action, email)
    return { data: null, cookies: await sessions.start(request, { id, email }, {}) }
  }

  return {
    /** Cookies for a trusted device; undefined: a code is needed. */
    async enterTrusted(request: Request, account: SignInAccount) {
      if (!account.hasSecondFactor) return []
      const trusted = await sessions.take(request, 'trustedDevice')
      return trusted?.accountId === account.id ? [await trust(request, account.id)] : undefined
    },

    begin(request: Request, { id }: SignInAccount, remember: boolean): Promise<string> {
      const first: FirstStep = { tries: 0, remember }
      return sessions.begin(request, 'twoFactor', { accountId: id, data: JSON.stringify(first) })
    },

    finish(request: Request, typed: TypedCode): Promise<Outcome<null>> {
      const about = () => ({ address: facts.addressOf(request) })
      return watchRefusals('second factor refused', about, async () => {
        const entry = { ...typed, code: typed.code.trim() }
        const guess = { request, account: undefined }
        const { account, remember } = await counted(core, guess, () => enter(request, entry))
        const way = { method: 'second factor', remember }
        const cookies = await sessions.start(request, account, way)
        const trusted = typed.trust ? [await trust(request, account.id)] : []
        return { data: null, cookies: [...cookies, ...trusted] }
      })
    },

    /** The first correct code enables it. */
    async enable(who: SignedIn, typed: string) {
      await password.require(who, typed)
      const secret = randomBytes(24).toString('base64url')
      const codes = makeBackupCodes()
      if (!(await store.offerSecondFactor(who.accountId, seal(secret), sealCodes(codes))))
        throw isThere()
      const totp = await totpOf(secret, { issuer: core.settings().siteName, label: who.email })
      return { totp_uri: totp.toString(), backup_codes: codes }
    },

    async confirm(request: Request, who: SignedIn, typed: string): Promise<Outcome<null>> {
      const { accountId } = who
      const code = typed.trim()
      const factor = await store.secondFactor(accountId)
      if (factor === undefined) throw missing()
      if (factor.isOn) throw isThere()
      await counted(core, { request, account: `account ${accountId}` }, async () => {
        if (!(await isCodeOf(factor, code))) throw wrongCode('too old')
      })
      if (!(await store.turnOnSecondFactor(accountId, factor.secret)))
        throw new ApiError('conflict', 'This was just changed elsewhere. Begin again.')
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
      if (!(await store.replaceBackupCodes(who.accountId, factor.backupCodes, sealCodes(codes))))
        throw new ApiError('conflict', 'The codes were just changed elsewhere. Try again.')
      return { backup_codes: codes }
    },
  }
}

/** Stored between the two steps. */
interface FirstStep {
  readonly tries: number
  readonly remember: boolean
}

async function totpOf(secret: string, named: { issuer?: string; label?: string } = {}) {
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({ ...named, secret: Secret.fromUTF8(secret) })
}

const makeBackupCodes = () =>
  Array.from({ length: 10 }, () => randomBytes(8).toString('hex').replace(/^.{8}/, '$&-'))

/** Takes the same time for every guess. */
export function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

/** The sealed form: version, nonce and text in hex. */
const version = '$ba$1$'
const nonceBytes = 24

function createFactorSeal(secrets: SignInCore['secrets']) {
  const key = new Uint8Array(createHash('sha256').update(signInSecret(secrets)).digest())
  return {
    seal(text: string): string {
      const nonce = new Uint8Array(randomBytes(nonceBytes))
      const sealed = xchacha20poly1305(key, nonce).encrypt(Buffer.from(text))
      return version + Buffer.concat([nonce, sealed]).toString('hex')
    },
    /** Throws if another secret sealed it. */
    open(sealed: string): string {
      const bytes = new Uint8Array(Buffer.from(sealed.slice(version.length), 'hex'))
      const cipher = xchacha20poly1305(key, bytes.subarray(0, nonceBytes))
      return Buffer.from(cipher.decrypt(bytes.subarray(nonceBytes))).toString()
    },
  }
}
