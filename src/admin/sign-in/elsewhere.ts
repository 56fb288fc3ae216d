import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import type { Outcome, SignInCore } from './parts.ts'
import { addressKey } from './throttle.ts'

/** Where the console sends people who could not sign in. */
const signInPage = '/console/sign-in'

/** A path of the console, as a header can carry it. */
const consolePath = /^\/console(?![\w-])(?!.*\/\/)[\w\-.~%!$&'()*+,;=:@/?]*$/

/** Signing in by an OIDC provider, or with a passkey. */
export function createElsewhere(core: SignInCore) {
  const { library, limits, devices, facts, sessions, store, log, settings } = core

  const begin = (request: Request) => limits.begun.take(addressKey(facts.addressOf(request)))

  function requireProvider(id: string): void {
    if (settings().providers.some((provider) => provider.id === id)) return
    throw new ApiError('not_found', 'This provider is not known here.', { field: 'provider' })
  }

  /** Of another's passkey nobody is told that it is there. */
  async function requireOwnPasskey({ accountId }: SignedIn, id: string): Promise<void> {
    const is = (column: string, value: number) =>
      ({ column, value, operator: 'eq', connector: 'AND' }) as const
    const where = [is('id', Number(id)), is('account_id', accountId)]
    const isOwn = /^\d{1,15}$/.test(id) && (await store.records.count('passkey', where)) > 0
    if (!isOwn) throw new ApiError('not_found', `There is no passkey ${id}; it may be removed.`)
  }

  /** Returns the cookie by which the browser is known from now on. */
  async function tell(request: Request, cookies: readonly string[], method: string) {
    const before = await sessions.find(request)
    const who = await sessions.startedBy(request, cookies)
    if (before && who) await store.endSessions(before.accountId, { id: Number(before.sessionId) })
    if (who === undefined) return []
    log.info('signed in', { account_id: who.accountId, method })
    return [devices.remember(request, who.email)]
  }

  return {
    /** The provider's address to send the browser to; it comes back to `callbackUrl` at last. */
    async provider(
      request: Request,
      { provider, callbackUrl }: { readonly provider: string; readonly callbackUrl: string },
    ): Promise<Outcome<{ url: string }>> {
      begin(request)
      requireProvider(provider)
      if (!consolePath.test(callbackUrl)) {
        const message = 'This address is not of the console.'
        throw new ApiError('invalid_value', message, { field: 'callback_url' })
      }
      const body = {
        ...{ provider, callbackURL: callbackUrl, disableRedirect: true },
        ...{ errorCallbackURL: signInPage, newUserCallbackURL: callbackUrl },
      }
      const call = { request, method: 'POST', path: '/sign-in/social', body } as const
      const { data, cookies } = await library.call({ ...call, needsProviders: true })
      return { data: { url: String(data.url) }, cookies }
    },

    /** The browser comes back from the provider. */
    async callback(request: Request, provider: string): Promise<Response> {
      begin(request)
      requireProvider(provider)
      const path = `/callback/${encodeURIComponent(provider)}${new URL(request.url).search}`
      const call = { request, method: 'GET', path } as const
      const { location, cookies } = await library.call({ ...call, needsProviders: true })
      const known = await tell(request, cookies, provider)
      const headers = new Headers({
        location: location ?? signInPage,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
      for (const cookie of [...cookies, ...known]) headers.append('set-cookie', cookie)
      return new Response(null, { status: 302, headers })
    },

    /** Takes a provider from an account. The last way in stays. */
    async unlink(request: Request, who: SignedIn, provider: string): Promise<Outcome<null>> {
      const body = { providerId: provider }
      const call = { request, method: 'POST', path: '/unlink-account', body } as const
      const { cookies } = await library.call(call)
      await store.note(who.email, 'account.unlink', who.email)
      return { data: null, cookies }
    },

    /** What the browser is asked, as `navigator.credentials` takes it. */
    async passkeyOptions(
      request: Request,
      what: 'register' | 'authenticate',
    ): Promise<Outcome<{ options: unknown }>> {
      begin(request)
      const path = `/passkey/generate-${what}-options`
      const { data, cookies } = await library.call({ request, method: 'GET', path })
      return { data: { options: data }, cookies }
    },

    async enterWithPasskey(request: Request, response: unknown): Promise<Outcome<null>> {
      begin(request)
      const path = '/passkey/verify-authentication'
      const call = { request, method: 'POST', path, body: { response } } as const
      const { cookies } = await library.call(call)
      const known = await tell(request, cookies, 'passkey')
      return { data: null, cookies: [...cookies, ...known] }
    },

    async addPasskey(
      request: Request,
      who: SignedIn,
      passkey: { readonly response: unknown; readonly name: string },
    ): Promise<Outcome<null>> {
      const path = '/passkey/verify-registration'
      const call = { request, method: 'POST', path, body: passkey } as const
      const { cookies } = await library.call(call)
      await store.note(who.email, 'account.passkey_add', who.email)
      return { data: null, cookies }
    },

    async removePasskey(request: Request, who: SignedIn, id: string): Promise<Outcome<null>> {
      await requireOwnPasskey(who, id)
      const call = {
        request,
        method: 'POST',
        path: '/passkey/delete-passkey',
        body: { id },
      } as const
      const { cookies } = await library.call(call)
      await store.note(who.email, 'account.passkey_remove', who.email)
      return { data: null, cookies }
    },
  }
}
