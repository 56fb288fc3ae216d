import { ApiError } from '../api-error.ts'

/** What a new password must have. */
export const minPasswordLength = 10
/** Longer ones cost time to hash and protect no better. */
export const maxPasswordLength = 256

/** Hashing takes 64 MiB each: so many at once, so many in line. */
const mostAtOnce = 2
const mostWaiting = 30

/** Hashes and compares passwords, a few at a time. */
export interface Passwords {
  /** argon2id. */
  hash(password: string): Promise<string>
  verify(password: string, hash: string): Promise<boolean>
}

/** Throws 503 when too many are in line. */
export function createPasswords(): Passwords {
  const waiting: (() => void)[] = []
  let active = 0

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (active >= mostAtOnce) {
      if (waiting.length >= mostWaiting) {
        throw new ApiError('unavailable', 'Too many people sign in at this moment. Try again.', {
          retryAfterSeconds: 5,
        })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      active++
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else active--
    }
  }

  return {
    hash: (password) => inTurn(() => Bun.password.hash(password, { algorithm: 'argon2id' })),
    verify: (password, hash) => inTurn(() => Bun.password.verify(password, hash)),
  }
}

/** Throws when a new password is too short or too long. */
export function checkNewPassword(password: string, field: string): void {
  if (password.length >= minPasswordLength && password.length <= maxPasswordLength) return
  throw new ApiError(
    'invalid_value',
    `A password has ${minPasswordLength} to ${maxPasswordLength} characters.`,
    { field, fault: 'unfit_password' },
  )
}
