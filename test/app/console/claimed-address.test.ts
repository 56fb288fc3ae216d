import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Running } from '../serving.ts'
import { startOidcProvider } from './oidc-provider.ts'
import { admin, createBrowser, startSignIn } from './sign-in-scene.ts'

// Whoever registers has only claimed an address: the file means its owner.

const boss = 'boss@example.com'
const password = 'a-password-of-a-stranger'
const key = 'sk-of-the-boss-0123456789abcdef'
const base = [{ email: admin.email, role: 'admin', password: admin.password }]
const named = {
  email: boss,
  role: 'admin',
  credit_limit: 100,
  password: 'what-the-file-says',
  limits: { rpm: 5 },
  tokens: [{ name: 'laptop', key, group: 'default' }],
}
const settings = { registration_enabled: true }

let app: Running
let provider: Awaited<ReturnType<typeof startOidcProvider>>
beforeAll(async () => {
  provider = await startOidcProvider()
  app = await startSignIn({ settings, moreAccounts: base, signIn: { oidc: [provider.config] } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await provider.stop()
})

const account = (email = boss) => app.instance.store.admin.account(email)
const usage = () =>
  fetch(`${app.serving.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })

test('A9: the file gives nothing to an account that registered itself, and names the command that does', async () => {
  const stranger = createBrowser(app.serving.url)
  const entry = { email: boss, password }
  expect(await stranger.post('/api/v1/auth/sign-up/email', entry)).toMatchObject({ status: 200 })
  await app.configure({ moreAccounts: [...base, named] })
  expect(await account()).toMatchObject({
    ...{ role: 'user', isVouched: false, creditLimitNano: 0, passwordMark: null },
    limits: { rpm: null },
  })
  expect((await stranger.get('/api/v1/admin/accounts')).status).toBe(403)
  expect((await usage()).status).toBe(401)
  expect(app.complaints.join('\n')).toMatch(
    /account boss@example\.com registered itself.*does not give it role, credit_limit, limits\.rpm, password, token laptop\. If it is its owner's: tollgate account set boss@example\.com --vouch/,
  )
})

test('however the file writes the address', async () => {
  const claimed = 'chief@example.com'
  await createBrowser(app.serving.url).post('/api/v1/auth/sign-up/email', {
    ...{ email: claimed, password },
  })
  await app.configure({ moreAccounts: [...base, { ...named, email: 'Chief@Example.com' }] })
  const found = await app.instance.store.admin.accountsAt([claimed])
  expect(found.map(({ email, role }) => ({ email, role }))).toEqual([
    { email: claimed, role: 'user' },
  ])
  expect(app.complaints.join('\n')).toContain(`tollgate account set ${claimed} --vouch`)
})

test('nor does a write that was planned before the account was there', async () => {
  const write = { email: boss, role: 'admin', status: 'active', openingNano: 0 } as const
  const writing = app.instance.store.admin.write({ accounts: [write] })
  await expect(writing).rejects.toThrow('--vouch')
})

test('the file may still switch it off', async () => {
  await app.configure({ moreAccounts: [...base, { ...named, enabled: false }] })
  expect(await account()).toMatchObject({ role: 'user', status: 'disabled' })
  // To switch it on again would give it something.
  await app.configure({ moreAccounts: [...base, named] })
  expect(await account()).toMatchObject({ role: 'user', status: 'disabled' })
})

test('it is given what the file says once somebody vouches for its address', async () => {
  const { store } = app.instance
  await store.admin.changeAccount({ account: boss, isVouched: true, actor: 'command line' })
  const [note] = await store.admin.audit(1)
  expect(note).toMatchObject({ action: 'account.set', subject: boss })
  expect(note?.detail).toEqual({ email_verified: { from: false, to: true } })
  await app.configure({ moreAccounts: [...base, named] })
  expect(await account()).toMatchObject({ role: 'admin', creditLimitNano: 100_000_000_000 })
  expect((await usage()).status).toBe(200)
  const stranger = createBrowser(app.serving.url)
  expect((await stranger.signIn({ email: boss, password })).status).toBe(401)
})

test('an administrator vouches in the console, and whoever is made one is vouched for', async () => {
  const browser = createBrowser(app.serving.url)
  await browser.signIn(admin)
  for (const [email, change] of [
    ['one@example.com', { is_vouched: true }],
    ['two@example.com', { role: 'admin' }],
  ] as const) {
    await createBrowser(app.serving.url).post('/api/v1/auth/sign-up/email', { email, password })
    const id = (await account(email))?.id
    const path = `/api/v1/admin/accounts/${id}`
    const { data } = await browser.get(path)
    expect(data.is_vouched).toBe(false)
    await browser.send('PATCH', path, { revision: data.revision, ...change })
    expect((await browser.get(path)).data).toMatchObject({ is_vouched: true })
  }
})

test('a provider that has checked an address vouches for it, and one that has not does not', async () => {
  for (const [sub, email_verified] of [
    ['checked', true],
    ['unchecked', false],
  ] as const) {
    const email = `${sub}@example.com`
    const browser = createBrowser(app.serving.url)
    const { data } = await browser.post('/api/v1/auth/sign-in/provider', { provider: 'company' })
    const back = provider.approve(String(data.url), { sub, email, email_verified })
    await browser.get(back.pathname + back.search)
    expect(await account(email)).toMatchObject({ isVouched: email_verified })
    await app.configure({ moreAccounts: [...base, { email, role: 'admin' }] })
    expect(await account(email)).toMatchObject({ role: email_verified ? 'admin' : 'user' })
  }
})
