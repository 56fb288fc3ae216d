import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import * as openid from 'openid-client'
import { openProvider } from '../../../src/admin/sign-in/providers.ts'

// Microsoft Entra for all tenants: one document, whose issuer is a template, and an issuer for each tenant.

const base = 'https://login.microsoftonline.com'
const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const size = { modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) }
const keys = await crypto.subtle.generateKey({ ...algorithm, ...size }, true, ['sign', 'verify'])
const jwk = await crypto.subtle.exportKey('jwk', keys.publicKey)
const begun = { state: 'state', nonce: 'nonce', verifier: 'v'.repeat(43) }
const callback = () => new URL('http://localhost/callback?code=code&state=state')

let claims: object
let network: ReturnType<typeof spyOn>

async function idToken(): Promise<string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'RS256', kid: 'one' })}.${encode(claims)}`
  const signature = await crypto.subtle.sign(algorithm, keys.privateKey, Buffer.from(text))
  return `${text}.${Buffer.from(signature).toString('base64url')}`
}

beforeEach(() => {
  const answers: { readonly [path: string]: () => object | Promise<object> } = {
    '/common/v2.0/.well-known/openid-configuration': () => ({
      issuer: `${base}/{tenantid}/v2.0`,
      authorization_endpoint: `${base}/common/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/common/oauth2/v2.0/token`,
      jwks_uri: `${base}/common/discovery/v2.0/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    '/common/oauth2/v2.0/token': async () => ({
      ...{ access_token: 'access', token_type: 'Bearer', id_token: await idToken() },
    }),
    '/common/discovery/v2.0/keys': () => ({ keys: [{ ...jwk, kid: 'one', alg: 'RS256' }] }),
  }
  const answer = async (input: unknown) => {
    const { origin, pathname } = new URL(String(input))
    expect(origin).toBe(base)
    return Response.json(await answers[pathname]?.())
  }
  network = spyOn(globalThis, 'fetch').mockImplementation(answer as typeof fetch)
})
afterEach(() => network.mockRestore())

/** Signs somebody in whose ID token says this. */
async function finish(more: object) {
  const now = Math.floor(Date.now() / 1000)
  const usual = { aud: 'tollgate', iat: now, exp: now + 60, nonce: 'nonce', sub: 'ann' }
  claims = { ...usual, email: 'ann@example.com', ...more }
  const at = `${base}/common/v2.0/.well-known/openid-configuration`
  const client = { clientId: 'tollgate', clientSecret: 'secret', scopes: ['openid'] }
  const provider = await openProvider({ id: 'entra', name: 'Entra', ...client, at }, openid)
  return provider.finish(callback(), begun)
}

test('each tenant is an issuer: equal subjects of two tenants are two people', async () => {
  const one = await finish({ tid: 'one', iss: `${base}/one/v2.0` })
  expect(one).toMatchObject({ subject: 'one ann', email: 'ann@example.com', isVerified: false })
  const other = await finish({ tid: 'other', iss: `${base}/other/v2.0` })
  expect(other).toMatchObject({ subject: 'other ann' })
})

test.each([
  ['another tenant', { tid: 'one', iss: `${base}/other/v2.0` }],
  ['no tenant', { iss: `${base}/other/v2.0` }],
  ['another place', { tid: 'one', iss: 'https://example.com/one/v2.0' }],
  ['the template', { tid: 'one', iss: `${base}/{tenantid}/v2.0` }],
])('a token of the issuer of %s is refused', async (_, more) => {
  await expect(finish(more)).rejects.toThrow()
})
