import { addressKey } from '../../lib/addresses.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import type { LibraryCall } from './call.ts'
import type { Outcome, SignInCore } from './limits.ts'

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

  /** Changes what an account signs in with, and notes it. */
  async function change(request: Request, who: SignedIn, action: string, call: LibraryCall) {
    const { cookies } = await library.call(request, call)
    await store.note(who.email, action, who.email)
    return { data: null, cookies }
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
      const call = { path: '/sign-in/social', body, needsProviders: true }
      const { data, cookies } = await library.call(request, call)
      return { data: { url: String(data.url) }, cookies }
    },

    /** The browser comes back from the provider. */
    async callback(request: Request, provider: string): Promise<Response> {
      begin(request)
      requireProvider(provider)
      const path = `/callback/${encodeURIComponent(provider)}${new URL(request.url).search}`
      const { location, cookies } = await library.call(request, { path, needsProviders: true })
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
    unlink(request: Request, who: SignedIn, provider: string): Promise<Outcome<null>> {
      const call = { path: '/unlink-account', body: { providerId: provider } }
      return change(request, who, 'account.unlink', call)
    },

    /** What the browser is asked, as `navigator.credentials` takes it. */
    async passkeyOptions(
      request: Request,
      what: 'register' | 'authenticate',
    ): Promise<Outcome<{ options: unknown }>> {
      begin(request)
      const path = `/passkey/generate-${what}-options`
      const { data, cookies } = await library.call(request, { path })
      return { data: { options: data }, cookies }
    },

    async enterWithPasskey(request: Request, response: unknown): Promise<Outcome<null>> {
      begin(request)
      const call = { path: '/passkey/verify-authentication', body: { response } }
      const { cookies } = await library.call(request, call)
      const known = await tell(request, cookies, 'passkey')
      return { data: null, cookies: [...cookies, ...known] }
    },

    addPasskey(
      request: Request,
      who: SignedIn,
      passkey: { readonly response: unknown; readonly name: string },
    ): Promise<Outcome<null>> {
      const call = { path: '/passkey/verify-registration', body: passkey }
      return change(request, who, 'account.passkey_add', call)
    },

    async removePasskey(request: Request, who: SignedIn, id: string): Promise<Outcome<null>> {
      await requireOwnPasskey(who, id)
      const call = { path: '/passkey/delete-passkey', body: { id } }
      return change(request, who, 'account.passkey_remove', call)
    },
  }
}
