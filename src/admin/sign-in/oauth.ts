import { LRUCache } from 'lru-cache'
import { addressKey } from '../../lib/addresses.ts'
import { entryLimit } from '../../lib/cache-options.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { type Outcome, originOf, requireFresh, type SignInCore } from './core.ts'
import { canSignIn } from './hashing.ts'
import { type Begun, openProvider, type Provider, type ProviderClient } from './providers.ts'

/** The sign-in page, for failed sign-ins. */
const signInPage = '/console/sign-in'

/** A path of the console, safe for a header. */
const consolePath = /^\/console(?![\w-])(?!.*\/\/)[\w\-.~%!$&'()*+,;=:@/?]*$/

/** OIDC limits identifiers to 255 characters; names for people are cut to 200. */
const [mostSubject, mostName] = [255, 200]

interface Way extends Begun {
  readonly provider: string
  readonly callbackUrl: string
}

/** Signing in with a provider. Its documents are fetched at each sign-in. */
export function createOAuth(core: SignInCore) {
  const { store, sessions, limits, facts, log, settings } = core
  const clients = new LRUCache<string, Promise<ProviderClient>>({
    ...entryLimit(32),
    ttl: 3_600_000,
  })

  function clientOf(provider: Provider): Promise<ProviderClient> {
    const key = JSON.stringify(provider)
    const made =
      clients.get(key) ?? import('openid-client').then((openid) => openProvider(provider, openid))
    clients.set(key, made, { noUpdateTTL: true })
    made.catch(() => clients.delete(key))
    return made
  }

  function start(request: Request, id: string): Provider {
    limits.begun.take(addressKey(facts.addressOf(request)))
    const provider = settings().providers.find((one) => one.id === id)
    if (provider) return provider
    throw new ApiError('not_found', 'This provider is not known here.', { field: 'provider' })
  }

  const addressOf = (request: Request, { id }: Provider) =>
    `${originOf(facts, request)}/api/v1/auth/callback/${id}`

  /** Returns the redirect and its cookies, or an error word of the sign-in page. */
  async function finish(request: Request, provider: Provider) {
    const pending = await sessions.take(request, 'provider')
    const way: Way | undefined = pending && JSON.parse(pending.data)
    if (way?.provider !== provider.id) return 'state_mismatch'
    const back = new URL(addressOf(request, provider) + new URL(request.url).search)
    if (back.searchParams.get('state') !== way.state) return 'state_mismatch'
    const client = await clientOf(provider)
    const { subject = '', email, isVerified, name } = await client.finish(back, way)
    if (subject === '' || subject.length > mostSubject) return 'unable_to_get_user_info'
    // Lower-casing other Unicode letters could yield another user's address.
    if (email === undefined || !canSignIn(email)) return 'email_not_found'
    const own = { subject, email, isVerified, name: name.slice(0, mostName) }
    const account = await store.accountOf({ provider: provider.id, ...own }, settings().mayRegister)
    if (typeof account === 'string') return account
    const cookies = await sessions.start(request, account, { method: provider.id })
    return { location: way.callbackUrl, cookies }
  }

  return {
    /** The provider's address for the browser, which finally returns to `callbackUrl`. */
    async begin(
      request: Request,
      { provider: id, callbackUrl }: { readonly provider: string; readonly callbackUrl: string },
    ): Promise<Outcome<{ url: string }>> {
      const provider = start(request, id)
      if (!consolePath.test(callbackUrl)) {
        const message = 'This address is not of the console.'
        throw new ApiError('invalid_value', message, { field: 'callback_url' })
      }
      const client = await clientOf(provider)
      const openid = await import('openid-client')
      const verifier = openid.randomPKCECodeVerifier()
      const [state, nonce] = [openid.randomState(), openid.randomNonce()]
      const url = client.address({
        ...{ state, nonce, redirect_uri: addressOf(request, provider) },
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      const way: Way = { provider: id, callbackUrl, state, nonce, verifier }
      const cookie = await sessions.begin(request, 'provider', { data: JSON.stringify(way) })
      return { data: { url: url.href }, cookies: [cookie] }
    },

    /** Completes the flow when the browser returns from the provider. */
    async callback(request: Request, id: string): Promise<Response> {
      const provider = start(request, id)
      const ended = await finish(request, provider).catch(async (error: Error) => {
        log.warn('sign-in', { provider: id, error: error.message })
        const { AuthorizationResponseError } = await import('openid-client')
        const isTold = error instanceof AuthorizationResponseError
        return isTold && /^[a-z_]{1,40}$/.test(error.error) ? error.error : 'invalid_code'
      })
      const refused = { location: `${signInPage}?error=${ended}`, cookies: [] }
      const { location, cookies } = typeof ended === 'string' ? refused : ended
      const headers = new Headers({
        ...{ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
      })
      for (const cookie of cookies) headers.append('set-cookie', cookie)
      return new Response(null, { status: 302, headers })
    },

    /** Unlinks a provider from an account. The last sign-in method stays. */
    async unlink(who: SignedIn, provider: string): Promise<Outcome<null>> {
      requireFresh(core, who)
      const { accountId, email } = who
      if (!(await store.unlink(accountId, provider))) {
        const text = 'You do not sign in with this provider, or with nothing else.'
        throw new ApiError('invalid_value', text, { field: 'provider' })
      }
      await store.note(email, 'account.unlink', email)
      return { data: null, cookies: [] }
    },
  }
}
