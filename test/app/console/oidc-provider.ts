import type { Browser } from './sign-in-scene.ts'

/** Who signs in at the provider. */
export interface Person {
  readonly sub: string
  readonly email: string
  readonly email_verified?: boolean
  readonly name?: string
}

interface Grant {
  readonly person: Person
  readonly asked: URLSearchParams
  /** What its token says otherwise than it should; `forged`: another key has signed it. */
  readonly lies: { readonly [claim: string]: unknown }
}

const base64url = (value: string | Uint8Array) => Buffer.from(value).toString('base64url')

/** A small OIDC provider on a free port of 127.0.0.1, where everybody signs in at once. */
export async function startOidcProvider() {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const size = { modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) }
  const kind = { ...algorithm, ...size }
  const keys = await crypto.subtle.generateKey(kind, true, ['sign', 'verify'])
  const foreign = await crypto.subtle.generateKey(kind, true, ['sign', 'verify'])
  const jwk = await crypto.subtle.exportKey('jwk', keys.publicKey)
  const issued = new Map<string, Person>()
  const granted = new Map<string, Grant>()
  const seen: string[] = []

  async function idToken({ person, asked, lies }: Grant) {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      ...{ iss: origin, aud: 'tollgate', iat: now, exp: now + 60, nonce: asked.get('nonce') },
      ...person,
      ...lies,
    }
    const head = { alg: 'RS256', typ: 'JWT', kid: 'one' }
    const text = `${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(claims))}`
    const { privateKey } = lies.forged ? foreign : keys
    const signature = await crypto.subtle.sign(algorithm, privateKey, Buffer.from(text))
    return `${text}.${base64url(new Uint8Array(signature))}`
  }

  async function exchange(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const grant = granted.get(form.get('code') ?? '')
    const verifier = new Bun.CryptoHasher('sha256').update(form.get('code_verifier') ?? '')
    const isBound = grant?.asked.get('code_challenge') === verifier.digest('base64url')
    granted.delete(form.get('code') ?? '')
    if (!grant || !isBound) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const access_token = `access-token-of-the-provider-${form.get('code')}`
    issued.set(`Bearer ${access_token}`, grant.person)
    const isOidc = grant.asked.get('scope')?.split(' ').includes('openid') ?? false
    const tokens = { access_token, token_type: 'Bearer', expires_in: 60 }
    return Response.json({ ...tokens, ...(isOidc && { id_token: await idToken(grant) }) })
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request): Response | Promise<Response> {
      const { pathname } = new URL(request.url)
      seen.push(pathname)
      if (pathname === '/token') return exchange(request)
      if (pathname === '/profile' || pathname === '/emails') {
        const person = issued.get(request.headers.get('authorization') ?? '')
        if (!person) return new Response(null, { status: 401 })
        const { sub: id, email, email_verified: verified = false, name } = person
        // Ids of digits are numbers, as some providers write them.
        if (pathname === '/profile') {
          const profile = JSON.stringify({ id, login: name, email: null })
          return new Response(profile.replace(/"id":"(\d+)"/, '"id":$1'))
        }
        const other = { email: 'other@example.com', primary: false, verified: true }
        return Response.json([other, { email, primary: true, verified }])
      }
      if (pathname === '/jwks')
        return Response.json({ keys: [{ ...jwk, kid: 'one', alg: 'RS256', use: 'sig' }] })
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      })
    },
  })
  const origin: string = server.url.origin
  const client = { client_id: 'tollgate', client_secret: 'the-secret' }
  return {
    origin,
    /** The paths that were asked for. */
    seen,
    config: {
      ...{ id: 'company', name: 'Company', ...client },
      discovery_url: `${origin}/.well-known/openid-configuration`,
    },
    /** The same without OIDC, as GitHub is. */
    plainConfig: {
      ...{ id: 'forge', name: 'Forge', ...client, scopes: ['user'] },
      ...{ authorization_url: `${origin}/authorize`, token_url: `${origin}/token` },
      ...{ profile_url: `${origin}/profile`, emails_url: `${origin}/emails` },
    },
    /** Signs a person in at the address that the browser was sent to; gives where it goes next. */
    approve(url: string, person: Person, lies: Grant['lies'] = {}): URL {
      const asked = new URL(url).searchParams
      const code = crypto.randomUUID()
      granted.set(code, { person, asked, lies })
      const back = new URL(asked.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      return back
    },
    stop: () => server.stop(true),
  }
}

/** Signs a person in at the gateway through the provider; gives the gateway's answer to the way back. */
export async function signInThrough(
  provider: Awaited<ReturnType<typeof startOidcProvider>>,
  browser: Browser,
  person: Person,
  id = provider.config.id,
) {
  const asked = { provider: id }
  const { data } = await browser.post('/api/v1/auth/sign-in/provider', asked)
  const back = provider.approve(String(data.url), person)
  return browser.get(back.pathname + back.search)
}
