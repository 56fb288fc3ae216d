import type { Configuration } from 'openid-client'
import { ApiError } from '../api-error.ts'

/** A provider to sign in with: OIDC, or OAuth 2 with a profile. */
export interface Provider {
  readonly id: string
  readonly name: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  /** Its openid-configuration URL; without OIDC, its endpoints. */
  readonly at: string | PlainProvider
}

/** The endpoints of an OAuth 2 provider without OIDC. */
interface PlainProvider {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** Returns the signed-in user's profile as JSON. */
  readonly profileUrl: string
  /** Lists the user's addresses with `email`, `primary` and `verified`. */
  readonly emailsUrl: string | null
}

/** Providers with a name of their own in the configuration. */
export const knownProviders = {
  google: {
    name: 'Google',
    scopes: ['openid', 'email', 'profile'],
    at: 'https://accounts.google.com/.well-known/openid-configuration',
  },
  github: {
    name: 'GitHub',
    scopes: ['read:user', 'user:email'],
    at: {
      authorizationUrl: 'https://github.com/login/oauth/authorize',
      tokenUrl: 'https://github.com/login/oauth/access_token',
      profileUrl: 'https://api.github.com/user',
      emailsUrl: 'https://api.github.com/user/emails',
    },
  },
} satisfies { [id: string]: Pick<Provider, 'name' | 'scopes' | 'at'> }

/** The signed-in user, as the provider reports. */
export interface Claims {
  readonly subject: string | undefined
  readonly email: string | undefined
  readonly isVerified: boolean
  readonly name: string
}

/** Stored until the browser returns. */
export interface Begun {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

type OpenId = typeof import('openid-client')

export type ProviderClient = Awaited<ReturnType<typeof openProvider>>

/** Reads the provider's documents. Throws 503 if they can't be fetched. */
export async function openProvider(provider: Provider, openid: OpenId) {
  const { at, clientId, clientSecret, scopes } = provider
  const auth = openid.ClientSecretPost(clientSecret)
  // The configuration warns of URLs without TLS.
  const first = new URL(typeof at === 'string' ? issuerOf(at) : at.tokenUrl)
  const execute = first.protocol === 'http:' ? [openid.allowInsecureRequests] : []

  async function configure(): Promise<Configuration> {
    if (typeof at === 'string') {
      execute.push(openid.enableNonRepudiationChecks)
      return openid.discovery(first, clientId, {}, auth, { execute, timeout: 10 })
    }
    const server = {
      issuer: first.origin,
      ...{ authorization_endpoint: at.authorizationUrl, token_endpoint: at.tokenUrl },
    }
    const made = new openid.Configuration(server, clientId, {}, auth)
    for (const change of execute) change(made)
    return made
  }

  const config = await configure().catch((cause) => {
    const text = 'This provider is not known, or can not be reached.'
    throw new ApiError('unavailable', text, { cause })
  })
  const isOidc = typeof at === 'string'
  const scope = isOidc && !scopes.includes('openid') ? ['openid', ...scopes] : scopes

  return {
    /** The URL to redirect the browser to. */
    address(asked: { readonly [name: string]: string }): URL {
      const url = openid.buildAuthorizationUrl(config, { ...asked, scope: scope.join(' ') })
      if (!isOidc) url.searchParams.delete('nonce')
      return url
    },
    /** Completes the flow with the callback's parameters. Throws if they do not match. */
    async finish(back: URL, { state, nonce, verifier }: Begun): Promise<Claims> {
      const checks = { expectedState: state, pkceCodeVerifier: verifier }
      if (isOidc) {
        const own = { ...checks, expectedNonce: nonce, idTokenExpected: true }
        const tokens = await openid.authorizationCodeGrant(config, back, own)
        const claims = tokens.claims()
        const subject = claims?.sub ?? ''
        const { issuer, userinfo_endpoint } = config.serverMetadata()
        const isTold = claims?.email !== undefined || !userinfo_endpoint
        const profile = isTold
          ? { ...claims }
          : await openid.fetchUserInfo(config, tokens.access_token, subject)
        const read = readClaims(profile)
        // A subject is unique within its issuer only, which is one for each tenant.
        return issuer.includes('{tenantid}')
          ? { ...read, subject: subject && `${claims?.tid} ${subject}` }
          : read
      }
      // Without documents there is no issuer to compare.
      back.searchParams.delete('iss')
      const { access_token } = await openid.authorizationCodeGrant(config, back, checks)
      const read = async (url: string): Promise<unknown> => {
        const asked = [config, access_token, new URL(url), 'GET'] as const
        const response = await openid.fetchProtectedResource(...asked)
        if (!response.ok) throw new Error(`The provider answered ${response.status} to who it is.`)
        return response.json()
      }
      const profile = readClaims(await read(at.profileUrl))
      if (at.emailsUrl === null) return profile
      const emails = await read(at.emailsUrl)
      const own = Array.isArray(emails) ? emails.find((one) => one?.primary === true) : undefined
      return { ...profile, email: textOf(own?.email), isVerified: own?.verified === true }
    },
  }
}

/**
 * For tenants of Microsoft Entra together (`common`, `organizations`) the library takes the tenant of the ID token
 * for the issuer, but only where it makes the address of the document itself.
 */
const issuerOf = (at: string) =>
  at.startsWith('https://login.microsoftonline.com/')
    ? at.replace(/\/\.well-known\/openid-configuration$/, '')
    : at

/** Numbers beyond safe integers may collide in JSON: they do not identify a user. */
const textOf = (value: unknown) =>
  typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : undefined

/** Reads a profile by the claims of OIDC, or else by common names. */
function readClaims(profile: unknown): Claims {
  const claims: { readonly [name: string]: unknown } =
    typeof profile === 'object' && profile !== null ? { ...profile } : {}
  return {
    subject: textOf(claims.sub ?? claims.id),
    email: textOf(claims.email),
    isVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: textOf(claims.name ?? claims.login) ?? '',
  }
}
