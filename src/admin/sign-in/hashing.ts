import { type Asking, createLine } from '../../lib/line.ts'
import { ApiError } from '../api-error.ts'

/** The length of new passwords. */
export const minPasswordLength = 10
/** Longer passwords cost time and add no protection. */
export const maxPasswordLength = 256

/**
 * What is stored of a password, to compare it with: argon2id at the lowest cost that OWASP recommends ("Password
 * Storage Cheat Sheet"). It takes 19 MiB and some hundredths of a second, which a small machine has.
 */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 })

/** `mostWaiting`: known users, and strangers. */
const line = { atOnce: 2, mostWaiting: 100 }

export type Passwords = ReturnType<typeof createPasswords>

/** Hashes and compares passwords, a few concurrently. Throws 503 when too many wait. */
export function createPasswords() {
  const inTurn = createLine(line)
  const queue = <Result>(asking: Asking, work: () => Promise<Result>) =>
    inTurn(asking, work, tooManyAtOnce)
  return {
    hash: (asking: Asking, password: string) => queue(asking, () => hashPassword(password)),
    /** Without a hash it takes as long and returns false. */
    verify: (asking: Asking, password: string, hash: string | null): Promise<boolean> =>
      queue(asking, async () => {
        if (hash !== null) return Bun.password.verify(password, hash)
        await hashPassword(password)
        return false
      }),
  }
}

const tooManyAtOnce = () =>
  new ApiError('unavailable', 'Too many people sign in at this moment. Try again.', {
    retryAfterSeconds: 5,
  })

/** Throws when a new password is too short or too long. */
export function checkNewPassword(password: string, field: string): void {
  if (password.length >= minPasswordLength && password.length <= maxPasswordLength) return
  throw new ApiError(
    'invalid_value',
    `A password has ${minPasswordLength} to ${maxPasswordLength} characters.`,
    { field, fault: 'unfit_password' },
  )
}

const mostAddress = 320

/** Whether an address can be signed in with: ASCII only, so that lower-casing can't merge two addresses. */
export const canSignIn = (email: string): boolean =>
  email.length <= mostAddress &&
  /^(?!\.)(?!.*\.\.)[\w'+.-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/.test(email)

/** Throws for an address that can't be signed in with. */
export function requireAddress(email: string): void {
  if (canSignIn(email)) return
  const fault = { field: 'email', fault: 'unfit_email' } as const
  throw new ApiError('invalid_value', 'This is not an e-mail address.', fault)
}
