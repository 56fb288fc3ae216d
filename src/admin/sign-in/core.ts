import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { SecretBox } from '../../lib/secrets.ts'
import type { SignInStore } from '../../store/ports/sign-in.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import type { Passwords } from './hashing.ts'
import type { Limits, WatchRefusals } from './limits.ts'
import type { Provider } from './providers.ts'
import type { CookieSessions } from './sessions.ts'
import type { SetupCode } from './setup.ts'

/** The configuration of signing in, read at each request. */
interface SignInSettings {
  readonly siteName: string
  readonly mayRegister: boolean
  readonly providers: readonly Provider[]
}

/** Facts of a request that a client can't forge. */
export interface RequestFacts {
  addressOf(request: Request): string
  /** Whether the client used TLS, to this process or to a trusted proxy. */
  isSecure(request: Request): boolean
}

export interface SignInParts {
  readonly store: SignInStore
  readonly secrets: Pick<SecretBox, 'keyedHash'>
  readonly log: Logger
  readonly clock: Clock
  readonly settings: () => SignInSettings
  readonly facts: RequestFacts
  readonly setupCode: SetupCode
}

export interface SignInCore extends SignInParts {
  readonly passwords: Passwords
  readonly sessions: CookieSessions
  readonly limits: Limits
  readonly watchRefusals: WatchRefusals
}

/** The outcome of a call: its body and its cookies. */
export interface Outcome<Data> {
  readonly data: Data
  readonly cookies: readonly string[]
}

/** The origin under which the console was opened. Throws for an invalid host. */
export function originOf(facts: RequestFacts, request: Request): string {
  const host = request.headers.get('host') ?? new URL(request.url).host
  const url = URL.parse(`${facts.isSecure(request) ? 'https' : 'http'}://${host}`)
  if (!/^[\w.:[\]-]+$/.test(host) || url === null)
    throw new ApiError('invalid_value', 'The Host header is not a host.')
  return url.origin
}

/** Changing sign-in methods needs a session younger than this. */
const freshMs = 86_400_000

/** Throws `sign_in_again` for an older session. */
export function requireFresh(
  { clock }: Pick<SignInParts, 'clock'>,
  { signedInAt }: SignedIn,
): void {
  if (clock() - signedInAt < freshMs) return
  throw new ApiError('sign_in_again', 'Sign in again first: this needs a fresh sign-in.')
}

/** The refusal of a flow that was started in another browser or has expired. */
export const beginAgain = (message = 'This took too long, or was begun elsewhere. Begin again.') =>
  new ApiError('begin_again', message)
