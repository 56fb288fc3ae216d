import { AsyncLocalStorage } from 'node:async_hooks'
import { ApiError } from '../api-error.ts'
import { type Asking, createLine } from './line.ts'

/** What a new password must have. */
export const minPasswordLength = 10
/** Longer ones cost time to hash and protect no better. */
export const maxPasswordLength = 256

/** Hashing takes 64 MiB each, and some hundredths of a second: so many at once, so many in line. */
const line = { atOnce: 2, mostWaiting: 100 }

/** Hashes and compares passwords, a few at a time. */
export interface Passwords {
  /** argon2id. */
  hash(password: string): Promise<string>
  verify(password: string, hash: string): Promise<boolean>
  /** What is hashed within `work`, by the sign-in library too, is on behalf of `asking`. */
  inNameOf<Result>(asking: Asking, work: () => Promise<Result>): Promise<Result>
}

/** Throws 503 when too many are in line. */
export function createPasswords(): Passwords {
  const inTurn = createLine(line)
  const asking = new AsyncLocalStorage<Asking>()
  // Whoever is not named has been let in by something else than a password.
  const ours: Asking = { isKnown: true, shares: [] }
  const queue = <Result>(work: () => Promise<Result>) =>
    inTurn(asking.getStore() ?? ours, work, tooManyAtOnce)
  return {
    hash: (password) => queue(() => Bun.password.hash(password, { algorithm: 'argon2id' })),
    verify: (password, hash) => queue(() => Bun.password.verify(password, hash)),
    inNameOf: (who, work) => asking.run(who, work),
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
