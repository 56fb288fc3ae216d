import type { Configuration } from 'openid-client'
import { ApiError } from '../api-error.ts'

/** A provider that people may sign in with: it speaks OIDC, or OAuth 2 and shows a profile. */
export interface Provider {
  readonly id: string
  readonly name: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  /** The address of its openid-configuration; else what it has no such document for. */
  readonly at: string | PlainProvider
}

/** Where a provider is that speaks OAuth 2 only. */
export interface PlainProvider {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** Where it shows who has signed in, in JSON. */
  readonly profileUrl: string
  /** Where it lists their addresses, each with `email`, `primary` and `verified`. */
  readonly emailsUrl: string | null
}

/** Providers that are known by their name. */
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

/** Who has signed in there, as far as the provider tells. */
export interface Claims {
  readonly subject: string | undefined
  readonly email: string | undefined
  readonly isVerified: boolean
  readonly name: string
}

/** What is kept until the browser is back. */
export interface Begun {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

type OpenId = typeof import('openid-client')

export type ProviderClient = Awaited<ReturnType<typeof openProvider>>

/** Reads the provider's documents. Throws 503 when it can't be reached. */
export async function openProvider(provider: Provider, openid: OpenId) {
  const { at, clientId, clientSecret, scopes } = provider
  const auth = openid.ClientSecretPost(clientSecret)
  // The configuration warns of addresses without TLS.
  const first = new URL(typeof at === 'string' ? at : at.tokenUrl)
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
    /** The address that the browser is sent to. */
    address(asked: { readonly [name: string]: string }): URL {
      const url = openid.buildAuthorizationUrl(config, { ...asked, scope: scope.join(' ') })
      if (!isOidc) url.searchParams.delete('nonce')
      return url
    },
    /** Ends it with what the browser came back with. Throws for what does not fit. */
    async finish(back: URL, { state, nonce, verifier }: Begun): Promise<Claims> {
      const checks = { expectedState: state, pkceCodeVerifier: verifier }
      if (isOidc) {
        const own = { ...checks, expectedNonce: nonce, idTokenExpected: true }
        const tokens = await openid.authorizationCodeGrant(config, back, own)
        const claims = tokens.claims()
        const subject = claims?.sub ?? ''
        const isTold = claims?.email !== undefined || !config.serverMetadata().userinfo_endpoint
        if (isTold) return readClaims({ ...claims })
        return readClaims(await openid.fetchUserInfo(config, tokens.access_token, subject))
      }
      // Without documents there is no issuer to compare it with.
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

/** Of numbers that are too large for JSON two may be one here: they name nobody. */
const textOf = (value: unknown) =>
  typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : undefined

/** Reads a profile by the names that OIDC has for it, or else by those that are common. */
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
