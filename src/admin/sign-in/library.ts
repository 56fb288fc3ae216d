import { passkey } from '@better-auth/passkey'
import type { BetterAuthPlugin } from 'better-auth'
import { APIError, isAPIError } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Logger } from '../../lib/log.ts'
import type { SecretBox } from '../../lib/secrets.ts'
import type { SignInRecords } from '../../store/ports/sign-in.ts'
import { ApiError } from '../api-error.ts'
import { librarySecret, sessionTokenHash } from './cookies.ts'
import { createSignInAdapter } from './library-store.ts'
import { canSignIn, minPasswordLength, type Passwords } from './passwords.ts'

/** Where the library's own paths begin. */
export const libraryPath = '/api/v1/auth'
/** The one header that tells the library whose address it is; set by us on every request. */
export const addressHeader = 'x-tollgate-client'

/** An OIDC provider that people may sign in with. */
export interface OidcProvider {
  readonly id: string
  readonly name: string
  readonly discoveryUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
}

export interface LibraryParts {
  readonly records: SignInRecords
  readonly secrets: Pick<SecretBox, 'keyedHash'>
  readonly passwords: Passwords
  readonly log: Logger
}

/** What an instance of the library is made for. */
export interface LibraryUse {
  /** What an authenticator app shows. */
  readonly siteName: string
  /** Cookies are for TLS only. */
  readonly isSecure: boolean
  /** Where the request came to, such as `https://gateway.example.com`. */
  readonly origin: string
  readonly mayRegister: boolean
  /** Their documents are fetched when the instance is made: only for who signs in with them. */
  readonly providers: readonly OidcProvider[]
}

/**
 * The sign-in library, ready to answer. It asks nobody but the named providers. What it may be asked
 * is decided by the routes; counting attempts is theirs too.
 */
export function createLibrary(parts: LibraryParts, use: LibraryUse) {
  const { records, secrets, passwords, log } = parts
  const { hostname } = new URL(use.origin)
  return betterAuth({
    appName: use.siteName,
    baseURL: use.origin,
    basePath: libraryPath,
    // As a list, so that nothing is taken from the environment.
    secrets: [{ version: 1, value: librarySecret(secrets) }],
    database: createSignInAdapter(records, sessionTokenHash(secrets)),
    emailAndPassword: {
      enabled: true,
      disableSignUp: !use.mayRegister,
      minPasswordLength,
      // The configuration may have given a longer one than people may choose.
      maxPasswordLength: 1024,
      password: {
        hash: (password) => passwords.hash(password).catch(busy),
        verify: ({ password, hash }) => passwords.verify(password, hash).catch(busy),
      },
    },
    session: { expiresIn: 7 * daySeconds, updateAge: daySeconds },
    verification: { storeIdentifier: 'hashed' },
    // A stranger may have taken the address of an account first: only one that is known to be its
    // owner's is linked, and only when the provider has checked it too.
    account: { accountLinking: { enabled: true, requireLocalEmailVerified: true } },
    plugins: [
      twoFactor({ issuer: use.siteName }),
      asPlugin(passkey({ rpID: hostname, rpName: use.siteName, origin: use.origin })),
      ...(use.providers.length > 0 ? [genericOAuth({ config: oidcOf(use) })] : []),
    ],
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    onAPIError: {
      errorURL: '/console/sign-in',
      // Without this it would write to the terminal.
      onError(error) {
        if (!isAPIError(error) || error.statusCode >= 500)
          log.error('sign-in', { error: String(error) })
      },
    },
    logger: {
      level: 'error',
      // Only what it is: details may hold what people typed.
      log: (level, message) => level === 'error' && log.error('sign-in', { error: message }),
    },
    advanced: {
      cookiePrefix: 'tollgate',
      useSecureCookies: use.isSecure,
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: 'serial' },
    },
  })
}

/** It is made for this library, but brings types of another version of one of its parts. */
const asPlugin = (plugin: { readonly id: string }) => plugin as BetterAuthPlugin

/** The library passes its own errors on; of ours it would make a fault. */
function busy(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  throw new APIError('SERVICE_UNAVAILABLE', { code: 'BUSY', message: error.message })
}

const daySeconds = 86_400

function oidcOf({ providers, mayRegister }: LibraryUse) {
  return providers.map(({ id, name, scopes, ...provider }) => ({
    ...provider,
    name,
    providerId: id,
    scopes: [...scopes],
    pkce: true,
    disableSignUp: !mayRegister,
    // Small letters are made of what is given here: of other letters of Unicode, somebody else's address.
    mapProfileToUser: ({ email }: { readonly email?: unknown }) =>
      typeof email === 'string' && canSignIn(email) ? {} : { email: null },
  }))
}
