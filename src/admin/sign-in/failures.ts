import { ApiError, type ApiErrorReason } from '../api-error.ts'
import { maxPasswordLength, minPasswordLength } from './passwords.ts'

type Told = readonly [reason: ApiErrorReason, message: string, field?: string]

const length = `A password has ${minPasswordLength} to ${maxPasswordLength} characters.`
const taken = 'This address can not be used for a new account. Sign in, if it is yours.'
const again = 'This took too long, or was begun elsewhere. Begin again.'

/** What the library's refusals are for people, by its own code. */
const told: { readonly [code: string]: Told } = {
  INVALID_EMAIL_OR_PASSWORD: ['wrong_credentials', 'The e-mail address or the password is wrong.'],
  INVALID_EMAIL: ['invalid_value', 'This is not an e-mail address.', 'email'],
  INVALID_PASSWORD: ['wrong_password', 'The password is wrong.', 'password'],
  PASSWORD_TOO_SHORT: ['invalid_value', length, 'password'],
  PASSWORD_TOO_LONG: ['invalid_value', length, 'password'],
  USER_ALREADY_EXISTS: ['name_taken', taken, 'email'],
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: ['name_taken', taken, 'email'],
  FAILED_TO_CREATE_USER: ['name_taken', taken, 'email'],
  EMAIL_PASSWORD_SIGN_UP_DISABLED: ['registration_closed', 'New accounts are not taken here.'],
  INVALID_CODE: ['wrong_code', 'The code is wrong, or too old.', 'code'],
  INVALID_BACKUP_CODE: ['wrong_code', 'The code is wrong, or was used before.', 'code'],
  INVALID_TWO_FACTOR_COOKIE: ['begin_again', again],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: ['begin_again', 'Too many wrong codes. Begin again.'],
  TOTP_NOT_ENABLED: ['invalid_value', 'There is no second factor yet.'],
  TOTP_ALREADY_ENABLED: ['conflict', 'There is a second factor already. Remove it first.'],
  CHALLENGE_NOT_FOUND: ['begin_again', again],
  PASSKEY_NOT_FOUND: ['not_found', 'This passkey is not known here.'],
  AUTHENTICATION_FAILED: ['wrong_passkey', 'The passkey was not accepted.'],
  FAILED_TO_VERIFY_REGISTRATION: ['invalid_value', 'The passkey was not accepted.', 'response'],
  SESSION_NOT_FRESH: ['sign_in_again', 'Sign in again first: this needs a fresh sign-in.'],
  INVALID_CALLBACK_URL: ['invalid_value', 'This address is not of the console.', 'callback_url'],
  INVALID_ERROR_CALLBACK_URL: ['invalid_value', 'This address is not of the console.'],
  BUSY: ['unavailable', 'Too many people sign in at this moment. Try again in a few seconds.'],
  PROVIDER_NOT_FOUND: ['unavailable', 'This provider is not known, or can not be reached.'],
}

/** How long the library locks an account that had too many wrong codes. */
const lockedSeconds = 900

/** A refusal of the library as ours. Its cookies end what has failed. */
export function failureOf(
  status: number,
  { code, message }: { readonly [field: string]: unknown },
  cookies: readonly string[],
): ApiError {
  const known = typeof code === 'string' ? told[code] : undefined
  if (known) {
    const [reason, text, field] = known
    return new ApiError(reason, text, { cookies, ...(field !== undefined && { field }) })
  }
  if (status === 429) {
    const text = 'Too many wrong codes. Try again in a quarter of an hour.'
    return new ApiError('too_many_requests', text, { retryAfterSeconds: lockedSeconds })
  }
  const text = typeof message === 'string' && message !== '' ? message : 'This was refused.'
  const reasons: { readonly [status: number]: ApiErrorReason } = {
    401: 'not_signed_in',
    403: 'not_allowed',
    404: 'not_found',
    409: 'conflict',
  }
  if (status >= 500) return new ApiError('internal', 'The gateway failed. Its log says why.')
  return new ApiError(reasons[status] ?? 'invalid_value', text, { cookies })
}
