import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Running } from '../serving.ts'
import { type Person, signInThrough, startOidcProvider } from './oidc-provider.ts'
import { admin, createBrowser, startSignIn } from './sign-in-scene.ts'

// Providers of OAuth 2 without OIDC, and those that are known by their name.

let provider: Awaited<ReturnType<typeof startOidcProvider>>
let app: Running
const client = { client_id: 'tollgate', client_secret: 'a-secret' }

beforeAll(async () => {
  provider = await startOidcProvider()
  app = await startSignIn({ signIn: { github: client, oauth: [provider.plainConfig] } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await provider.stop()
})

const open = () => createBrowser(app.serving.url)
const root = { sub: '7', email: 'root@example.com', email_verified: true, name: 'root' }

async function enter(person: Person) {
  const browser = open()
  const answer = await signInThrough(provider, browser, person, 'forge')
  return { location: answer.headers.get('location'), browser }
}

test('a profile and its list of addresses say who has signed in', async () => {
  expect((await enter({ ...root, email_verified: false })).location).toBe(
    '/console/sign-in?error=account_not_linked',
  )
  const { location, browser } = await enter(root)
  expect(location).toBe('/console')
  expect((await browser.get('/api/v1/me')).data).toMatchObject({ email: admin.email })
  expect((await browser.get('/api/v1/auth/profile')).data).toMatchObject({
    providers: [{ id: 'forge', name: 'Forge' }],
  })
})

test('who is known there keeps the account, whatever the address is now', async () => {
  const { browser } = await enter({ ...root, email: 'moved@example.com', email_verified: false })
  expect((await browser.get('/api/v1/me')).data).toMatchObject({ email: admin.email })
})

test('numbers that JSON can not tell apart are nobody', async () => {
  await app.configure({
    signIn: { github: client, oauth: [provider.plainConfig] },
    settings: { registration_enabled: true },
  })
  const [one, other] = ['9007199254740992', '9007199254740993']
  for (const [sub, email] of [
    [one, 'one@example.com'],
    [other, 'two@example.com'],
  ] as const) {
    const { location, browser } = await enter({ sub, email, email_verified: true, name: 'one' })
    expect(location).toBe('/console/sign-in?error=unable_to_get_user_info')
    expect(await browser.status()).toBe(401)
  }
})

test('what a provider tells is kept as far as it is of a person', async () => {
  const person = { ...root, name: 'n'.repeat(1_000), email: 'long@example.com' }
  const subjects = await enter({ ...person, sub: 's'.repeat(256) })
  expect(subjects.location).toBe('/console/sign-in?error=unable_to_get_user_info')
  const address = await enter({ ...person, sub: 'a', email: `${'e'.repeat(320)}@example.com` })
  expect(address.location).toBe('/console/sign-in?error=email_not_found')
  const { location } = await enter({ ...person, sub: 's'.repeat(255) })
  expect(location).toBe('/console')
  const [row] = await app.tables.rows(`SELECT name FROM account WHERE email = '${person.email}'`)
  expect(row).toEqual({ name: 'n'.repeat(200) })
  await app.configure({ signIn: { github: client, oauth: [provider.plainConfig] } })
})

test('the browser is sent there with a challenge (PKCE) and a state, and no nonce', async () => {
  const answer = await open().post('/api/v1/auth/sign-in/provider', { provider: 'forge' })
  const asked = new URL(String(answer.data.url)).searchParams
  expect(Object.fromEntries(asked)).toMatchObject({
    ...{ client_id: 'tollgate', response_type: 'code', scope: 'user' },
    ...{ code_challenge_method: 'S256', code_challenge: expect.stringMatching(/^.{43}$/) },
    redirect_uri: `${app.serving.url}/api/v1/auth/callback/forge`,
  })
  expect([asked.get('state')?.length, asked.has('nonce')]).toEqual([43, false])
  expect(answer.text).not.toContain('the-secret')
})

test('a provider that is known by its name needs no more than an id and a secret', async () => {
  const { data } = await open().get('/api/v1/auth/methods')
  expect(data.providers).toEqual([
    { id: 'github', name: 'GitHub' },
    { id: 'forge', name: 'Forge' },
  ])
  const answer = await open().post('/api/v1/auth/sign-in/provider', { provider: 'github' })
  expect(String(answer.data.url)).toStartWith('https://github.com/login/oauth/authorize?')
})

test('a person who declines there is told so, in one word of ours', async () => {
  const refuse = async (error: string) => {
    const browser = open()
    const { data } = await browser.post('/api/v1/auth/sign-in/provider', { provider: 'forge' })
    const state = new URL(String(data.url)).searchParams.get('state')
    const query = new URLSearchParams({ error, state: state ?? '' })
    return (await browser.get(`/api/v1/auth/callback/forge?${query}`)).headers.get('location')
  }
  expect(await refuse('access_denied')).toBe('/console/sign-in?error=access_denied')
  expect(await refuse('<b>no</b>')).toBe('/console/sign-in?error=invalid_code')
})

test('an account gives a provider back, but not its last way in', async () => {
  const { browser } = await enter(root)
  const unlink = (provider: string) => browser.post('/api/v1/auth/unlink', { provider })
  // A session of a day ago is no proof that it is the owner.
  const begun = async (at: number) => app.tables.change('UPDATE session SET created_at = ?', at)
  await begun(Date.now() - 86_400_001)
  expect(await unlink('forge')).toMatchObject({ status: 401, reason: 'sign_in_again' })
  await begun(Date.now())
  expect(await unlink('credential')).toMatchObject({ status: 400 })
  expect(await unlink('forge')).toMatchObject({ status: 200 })
  expect(await unlink('forge')).toMatchObject({ status: 400, field: 'provider' })
  const [entry] = await app.instance.store.admin.audit(1)
  expect(entry).toMatchObject({ actor: admin.email, action: 'account.unlink' })
})
