import { LRUCache } from 'lru-cache'
import { growing } from '../../lib/cache-options.ts'
import { ApiError, type ApiErrorReason } from '../api-error.ts'
import type { LibraryParts, LibraryUse, OidcProvider } from './library.ts'
import { maxPasswordLength, minPasswordLength } from './passwords.ts'

/** What the configuration says of signing in; read anew at each request. */
export interface SignInSettings {
  readonly siteName: string
  readonly mayRegister: boolean
  readonly providers: readonly OidcProvider[]
}

/** What must be known of a request, and can't be taken from what a client may write. */
export interface RequestFacts {
  addressOf(request: Request): string
  /** Whether it came by TLS, to us or to a trusted proxy. */
  isSecure(request: Request): boolean
}

/** What the sign-in library is asked: by POST where there is a body, else by GET. */
export interface LibraryCall {
  /** Of the library, such as `/sign-in/email`; may have a query. */
  readonly path: string
  readonly body?: object
  /** Whether an OIDC provider is needed for it. */
  readonly needsProviders?: boolean
}

/** What it answered. */
interface LibraryReply {
  readonly data: { readonly [field: string]: unknown }
  readonly cookies: readonly string[]
  /** Where the browser is sent; null: nowhere. */
  readonly location: string | null
}

export interface Library {
  /** Asks in the name of a client: the cookies and the address of `request` count. Throws `ApiError`. */
  call(request: Request, call: LibraryCall): Promise<LibraryReply>
}

/** Hosts that the console is opened by at once: an instance of the library is made for each. */
const mostInstances = 8

/** The headers of a client that the library sees. */
const passed = ['cookie', 'user-agent', 'accept-language']

interface CallParts extends LibraryParts {
  readonly settings: () => SignInSettings
  readonly facts: RequestFacts
}

/** Loads the library when it is first needed, and asks it in the name of clients. */
export function createLibraryCaller(parts: CallParts): Library {
  const { settings, facts } = parts
  type Instance = { handler(request: Request): Promise<Response> }
  const instances = new LRUCache<string, Promise<Instance>>(growing(mostInstances))

  function instanceFor(use: LibraryUse): Promise<Instance> {
    // What is configured is part of the key: a change makes another instance.
    const key = parts.secrets.keyedHash(JSON.stringify(use))
    const made =
      instances.get(key) ??
      import('./library.ts').then((module) => module.createLibrary(parts, use))
    instances.set(key, made)
    made.catch(() => instances.delete(key))
    return made
  }

  return {
    async call(request, { path, body, needsProviders = false }) {
      const { siteName, mayRegister, providers } = settings()
      const isSecure = facts.isSecure(request)
      const origin = originOf(request, isSecure)
      const used = needsProviders ? providers : []
      const use = { siteName, isSecure, origin, mayRegister, providers: used }
      const { handler } = await instanceFor(use)
      const { addressHeader, libraryPath } = await import('./library.ts')
      const headers = new Headers({ origin, [addressHeader]: facts.addressOf(request) })
      for (const name of passed) {
        const value = request.headers.get(name)
        if (value !== null) headers.set(name, value)
      }
      if (body) headers.set('content-type', 'application/json')
      const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {}
      const inner = new Request(origin + libraryPath + path, { ...sent, headers })
      return readReply(await handler(inner))
    },
  }
}

/** The origin that the console was opened by. Throws for a host that is none. */
function originOf(request: Request, isSecure: boolean): string {
  const host = request.headers.get('host') ?? new URL(request.url).host
  const url = URL.parse(`${isSecure ? 'https' : 'http'}://${host}`)
  if (!/^[\w.:[\]-]+$/.test(host) || url === null) {
    throw new ApiError('invalid_value', 'The Host header is not a host.')
  }
  return url.origin
}

async function readReply(response: Response): Promise<LibraryReply> {
  const text = await response.text()
  const data = parse(text)
  if (response.status >= 400) {
    throw failureOf(response.status, data, response.headers.getSetCookie())
  }
  const location = response.headers.get('location')
  return { data, cookies: response.headers.getSetCookie(), location }
}

function parse(text: string): { readonly [field: string]: unknown } {
  if (!/^\s*[[{]/.test(text)) return {}
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return { items: value }
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

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
