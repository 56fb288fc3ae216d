import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Running } from '../serving.ts'
import { type Person, startOidcProvider } from './oidc-provider.ts'
import { admin, type Browser, createBrowser, startSignIn } from './sign-in-scene.ts'

let provider: Awaited<ReturnType<typeof startOidcProvider>>
let app: Running

beforeAll(async () => {
  provider = await startOidcProvider()
  const kim = { email: 'kim@example.com' }
  const moreAccounts = [{ ...admin, role: 'admin' }, kim]
  app = await startSignIn({ moreAccounts, signIn: { oidc: [provider.config] } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await provider.stop()
})

const open = () => createBrowser(app.serving.url)

const begin = (browser: Browser, more = {}) =>
  browser.post('/api/v1/auth/sign-in/provider', { provider: 'company', ...more })

/** Goes to the provider and back; gives the answer that ends it. */
async function goThrough(browser: Browser, person: Person, more = {}) {
  const { data } = await begin(browser, more)
  const back = provider.approve(String(data.url), person)
  expect(back.origin).toBe(app.serving.url)
  expect(back.pathname).toBe('/api/v1/auth/callback/company')
  return browser.get(back.pathname + back.search)
}

const root = { sub: 'person-1', email: 'root@example.com', email_verified: true }
const stranger = { sub: 'person-2', email: 'stranger@example.com', email_verified: true }

test('the provider is not asked before somebody signs in with it', async () => {
  const browser = open()
  expect((await browser.get('/api/v1/auth/methods')).data).toMatchObject({
    providers: [{ id: 'company', name: 'Company' }],
  })
  expect(await browser.signIn(admin)).toMatchObject({ status: 200 })
  expect(provider.seen).toEqual([])
})

test('an address that is not verified there is not linked to an account here', async () => {
  for (const email_verified of [false, undefined]) {
    const browser = open()
    const { email, sub } = root
    const answer = await goThrough(browser, {
      ...{ email, sub },
      ...(email_verified !== undefined && { email_verified }),
    })
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toMatch(/^\/console\/sign-in\?error=account/)
    expect(await browser.status()).toBe(401)
  }
})

test('a verified one is linked, and signs in from then on', async () => {
  const browser = open()
  const answer = await goThrough(browser, root, { callback_url: '/console/tokens' })
  expect(answer).toMatchObject({ status: 302 })
  expect(answer.headers.get('location')).toBe('/console/tokens')
  expect(answer.cookies.join()).toMatch(/tollgate\.session_token=[^;]+;.*HttpOnly; SameSite=Lax/)
  expect((await browser.get('/api/v1/me')).data).toMatchObject({
    email: admin.email,
    role: 'admin',
  })
  expect((await browser.get('/api/v1/auth/profile')).data).toMatchObject({
    has_password: true,
    providers: [{ id: 'company', name: 'Company' }],
  })
  // The provider's own tokens are not kept.
  const rows = await app.tables.rows('SELECT * FROM credential')
  expect(JSON.stringify(rows)).not.toContain('access-token-of-the-provider')
  const again = open()
  await goThrough(again, { ...root, email_verified: false })
  expect(await again.status()).toBe(200)
})

test.each([
  ['for another sign-in', { nonce: 'another' }],
  ['of another issuer', { iss: 'https://evil.example' }],
  ['for somebody else', { aud: 'another-client' }],
  ['that is too old', { exp: 1 }],
  ['that another has signed', { forged: true }],
])('a token %s signs nobody in', async (_, lies) => {
  const browser = open()
  const { data } = await begin(browser)
  const back = provider.approve(String(data.url), root, lies)
  const answer = await browser.get(back.pathname + back.search)
  expect(answer.headers.get('location')).toBe('/console/sign-in?error=invalid_code')
  expect(await browser.status()).toBe(401)
})

test.each([
  ['another state', 'state', 'another', 'state_mismatch'],
  ['another issuer (RFC 9207)', 'iss', 'https://evil.example', 'invalid_code'],
])('who comes back with %s is not signed in', async (_, name, value, word) => {
  const browser = open()
  const { data } = await begin(browser)
  const back = provider.approve(String(data.url), root)
  back.searchParams.set(name, value)
  const answer = await browser.get(back.pathname + back.search)
  expect(answer.headers.get('location')).toBe(`/console/sign-in?error=${word}`)
  expect(await browser.status()).toBe(401)
})

test.each(['/console', '/console?a=1', '/console/requests/req_1?since=2026-11-21T08:00Z&x=%2F'])(
  'one comes back to the page that one wanted: %s',
  async (callback_url) => {
    const answer = await goThrough(open(), root, { callback_url })
    expect(answer.headers.get('location')).toBe(callback_url)
  },
)

test.each([
  ['another letter that is small the same', '\u212Aim@example.com'],
  ['a space before it', ' kim@example.com'],
  ['a character of zero', 'kim@example.com\u0000'],
  ['an escape of terminals', 'kim\u001b[2J@example.com'],
  ['letters that turn round', 'kim\u202e@example.com'],
])("an address with %s is nobody's here, and makes no account", async (_, email) => {
  await app.configure({ settings: { registration_enabled: true } })
  const count = async () => (await app.instance.store.admin.accounts()).length
  const before = await count()
  const browser = open()
  const person = { sub: `person of ${email}`, email, email_verified: true }
  const answer = await goThrough(browser, person)
  expect(answer.headers.get('location')).toBe('/console/sign-in?error=email_not_found')
  expect([await browser.status(), await count()]).toEqual([401, before])
  await app.configure({ settings: { registration_enabled: false } })
})

test('a person without an account gets one only while registration is open', async () => {
  const browser = open()
  const answer = await goThrough(browser, stranger)
  expect(answer.headers.get('location')).toContain('/console/sign-in?error=signup_disabled')
  expect(await app.instance.store.admin.account(stranger.email)).toBeUndefined()
  await app.configure({ settings: { registration_enabled: true } })
  await goThrough(browser, stranger)
  expect((await browser.get('/api/v1/me')).data).toMatchObject({
    email: stranger.email,
    balance: '0',
  })
  await app.configure({ settings: { registration_enabled: false } })
})

test('who has no password sees a key again after a fresh sign-in, and who has one says it', async () => {
  const browser = open()
  await goThrough(browser, stranger)
  expect((await browser.get('/api/v1/me')).data).toMatchObject({ has_password: false })
  const made = await browser.post('/api/v1/tokens', { group: 'default' })
  const { key, token } = made.data as { key: string; token: { id: number } }
  const path = `/api/v1/tokens/${token.id}/reveal`
  const reveal = () => browser.post(path, { password: null })
  expect((await reveal()).data).toEqual({ key })
  const account = await app.instance.store.admin.account(stranger.email)
  const age = 'UPDATE session SET created_at = ? WHERE account_id = ?'
  await app.tables.change(age, Date.now() - 601_000, account?.id ?? 0)
  for (let tries = 0; tries < 25; tries++) {
    expect(await reveal()).toMatchObject({ status: 401, reason: 'sign_in_again' })
  }
  await goThrough(browser, stranger)
  expect((await reveal()).data).toEqual({ key })
  const other = open()
  await other.signIn(admin)
  expect((await other.get('/api/v1/me')).data).toMatchObject({ has_password: true })
  const ownToken = await other.post('/api/v1/tokens', { group: 'default' })
  const { id } = ownToken.data.token as { id: number }
  const refused = await other.post(`/api/v1/tokens/${id}/reveal`, { password: null })
  expect(refused).toMatchObject({ status: 403, reason: 'wrong_password' })
})

test('a stranger who took an address first does not get its owner’s sign-in', async () => {
  await app.configure({ settings: { registration_enabled: true } })
  const early = { email: 'victim@example.com', password: 'known-to-the-attacker' }
  expect((await open().post('/api/v1/auth/sign-up/email', early)).status).toBe(200)
  const victim = open()
  const answer = await goThrough(victim, { ...root, sub: 'person-3', email: early.email })
  expect(answer.headers.get('location')).toContain('error=account_not_linked')
  expect(await victim.status()).toBe(401)
  await app.configure({ settings: { registration_enabled: false } })
})

test('a way that another browser began can not be ended here', async () => {
  const [attacker, victim] = [open(), open()]
  const { data } = await begin(attacker)
  const back = provider.approve(String(data.url), root)
  const answer = await victim.get(back.pathname + back.search)
  expect(answer.status).toBe(302)
  expect(answer.headers.get('location')).toMatch(/^\/console\/sign-in\?.*error=/)
  expect(await victim.status()).toBe(401)
  // Nor can it be ended twice.
  const end = () => attacker.get(`${back.pathname}${back.search}`)
  expect((await end()).headers.get('location')).toBe('/console')
  expect((await end()).headers.get('location')).toContain('error=')
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  'javascript:alert(1)',
  'http://127.0.0.1:1/console',
  'https:evil.example',
  '/%2f/evil.example',
  '/console/..//evil.example',
  '/console//evil.example',
  '／／evil.example',
  '/console/／evil.example',
  '/console/\\evil.example',
  '/console/\t/evil.example',
  '/console\r\nset-cookie: a=b',
  '/consoles',
  '/status',
])('nobody is sent on to another site: %s', async (callback_url) => {
  const answer = await begin(open(), { callback_url })
  expect(answer).toMatchObject({ status: 400, reason: 'invalid_value', field: 'callback_url' })
})

test('a provider that is not configured is not known', async () => {
  for (const name of ['github', 'nothing', 'credential'])
    expect(await begin(open(), { provider: name })).toMatchObject({ status: 404 })
  expect((await open().get('/api/v1/auth/callback/github?code=1&state=2')).status).toBe(404)
})

test('a disabled account does not get in by its provider', async () => {
  const account = { email: stranger.email, role: 'user', openingNano: 0 } as const
  await app.instance.store.admin.write({ accounts: [{ ...account, status: 'disabled' }] })
  const browser = open()
  const answer = await goThrough(browser, stranger)
  expect(answer.headers.get('location')).toContain('error=')
  expect(await browser.status()).toBe(401)
})

test('a provider that can not be reached keeps nobody from the password', async () => {
  const nowhere = { ...provider.config, discovery_url: 'http://127.0.0.1:9/openid-configuration' }
  await app.configure({ signIn: { oidc: [nowhere] } })
  expect(await begin(open())).toMatchObject({ status: 503, reason: 'unavailable' })
  expect(await open().signIn(admin)).toMatchObject({ status: 200 })
})
