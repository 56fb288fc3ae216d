import { expect, test } from 'bun:test'
import { lendDatabase } from '../../support/lent-databases.ts'
import { ask, hasPostgres } from '../../support/postgres.ts'
import { startServing } from '../serving.ts'
import { signInThrough, startOidcProvider } from './oidc-provider.ts'
import { admin, createBrowser, startSignIn } from './sign-in-scene.ts'

const start = (moreAccounts: readonly object[] = []) =>
  startServing({
    ...{ upstream: 'http://127.0.0.1:9', moreAccounts },
    server: { trusted_proxies: ['127.0.0.1'] },
  })

const entry = { email: 'first@example.com', password: 'a-good-long-password' }
const codeOf = (link: string | undefined) => new URL(link ?? '').searchParams.get('code') ?? ''

test('X2: without an administrator the link makes one, once', async () => {
  await using app = await start()
  const { setupUrl, url } = app.serving
  expect(setupUrl).toStartWith(`${url}/console/setup?code=`)
  const code = codeOf(setupUrl)
  expect(code).toMatch(/^[0-9a-f]{48}$/)
  const browser = createBrowser(url)
  expect((await browser.get('/api/v1/setup')).data).toEqual({ open: true })
  // Until then the API is closed.
  expect(await browser.status()).toBe(401)

  const setUp = (body: object, by = browser) => by.post('/api/v1/setup', { ...entry, ...body })
  expect(await setUp({ code: 'a guess' })).toMatchObject({ status: 403, reason: 'setup_closed' })
  expect(await setUp({ code, password: 'short' })).toMatchObject({ field: 'password' })
  expect(await setUp({ code, email: 'first@nowhere' })).toMatchObject({ field: 'email' })
  expect(await setUp({ code })).toMatchObject({ status: 200, data: null })
  expect((await browser.get('/api/v1/me')).data).toMatchObject({
    email: entry.email,
    role: 'admin',
  })
  const [row] = await app.instance.store.admin.audit(1)
  expect(row).toMatchObject({ actor: entry.email, action: 'account.first_admin' })

  const again = createBrowser(url)
  expect((await again.get('/api/v1/setup')).data).toEqual({ open: false })
  expect(await setUp({ code, email: 'second@example.com' }, again)).toMatchObject({ status: 403 })
  expect(await app.instance.store.admin.account('second@example.com')).toBeUndefined()
  expect(await createBrowser(url).signIn(entry)).toMatchObject({ status: 200 })
})

test('an account that has no password becomes the administrator; one that has stays as it is', async () => {
  const taken = { email: 'taken@example.com', password: 'a-good-long-password' }
  await using app = await start([{ email: 'op@example.com' }, taken])
  const code = codeOf(app.serving.setupUrl)
  const browser = createBrowser(app.serving.url)
  const setUp = (email: string) => browser.post('/api/v1/setup', { ...entry, code, email })
  expect(await setUp('taken@example.com')).toMatchObject({ status: 409, reason: 'name_taken' })
  expect(await setUp('OP@example.com')).toMatchObject({ status: 200 })
  expect((await browser.get('/api/v1/me')).data).toMatchObject({ email: 'op@example.com' })
})

test('an account that registered itself does not become the administrator, whatever it signs in with', async () => {
  const provider = await startOidcProvider()
  await using stack = new AsyncDisposableStack()
  stack.defer(() => provider.stop())
  await using app = await startServing({
    ...{ upstream: 'http://127.0.0.1:9', signIn: { oidc: [provider.config] } },
    settings: { registration_enabled: true },
  })
  const stranger = createBrowser(app.serving.url)
  const who = { sub: 'stranger', email: 'boss@example.com', email_verified: false }
  await signInThrough(provider, stranger, who)
  expect(await stranger.status()).toBe(200)
  const code = codeOf(app.serving.setupUrl)
  const boss = createBrowser(app.serving.url)
  for (const email of ['boss@example.com', 'Boss@Example.com']) {
    const made = await boss.post('/api/v1/setup', { ...entry, code, email })
    expect(made).toMatchObject({ status: 409, reason: 'name_taken', field: 'email' })
    expect(made.text).toContain('tollgate account set EMAIL --vouch --role admin')
  }
  expect(await app.instance.store.admin.account('boss@example.com')).toMatchObject({ role: 'user' })
  expect(await boss.post('/api/v1/setup', { ...entry, code })).toMatchObject({ status: 200 })
})

test('the link is over when an administrator comes another way', async () => {
  await using app = await start()
  const code = codeOf(app.serving.setupUrl)
  await app.configure({ moreAccounts: [{ ...admin, role: 'admin' }] })
  const browser = createBrowser(app.serving.url)
  expect((await browser.get('/api/v1/setup')).data).toEqual({ open: false })
  expect(await browser.post('/api/v1/setup', { ...entry, code })).toMatchObject({ status: 403 })
})

test('with an administrator there is no link', async () => {
  await using app = await startSignIn()
  expect(app.serving.setupUrl).toBeUndefined()
  expect((await createBrowser(app.serving.url).get('/api/v1/setup')).data).toEqual({ open: false })
})

test('X6: guesses at the code are counted, and other sites can not make them', async () => {
  await using app = await start()
  const browser = createBrowser(app.serving.url)
  const attempt = (headers = {}) =>
    browser.post('/api/v1/setup', { ...entry, code: 'a guess' }, headers)
  expect(await attempt({ origin: 'https://evil.example' })).toMatchObject({
    reason: 'foreign_origin',
  })
  const statuses = []
  for (let at = 0; at < 11; at++) statuses.push((await attempt()).status)
  expect(statuses).toEqual([...Array(10).fill(403), 429])
})

test.skipIf(!hasPostgres)(
  'nodes that share a database have one link, which any of them takes',
  async () => {
    await using database = await lendDatabase()
    const one = () => startServing({ upstream: 'http://127.0.0.1:9', store: database.url })
    await using stack = new AsyncDisposableStack()
    const nodes = await Promise.all([one(), one()])
    for (const node of nodes) stack.use(node)
    const [first, second] = nodes.map(({ serving }) => serving)
    const code = codeOf(first?.setupUrl)
    expect(codeOf(second?.setupUrl)).toBe(code)
    const rows = await ask(database.url, 'SELECT value FROM verification')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(code)

    const setUp = (url = '') => createBrowser(url).post('/api/v1/setup', { ...entry, code })
    expect(await setUp(second?.url)).toMatchObject({ status: 200 })
    expect((await createBrowser(first?.url ?? '').get('/api/v1/setup')).data).toEqual({
      open: false,
    })
    expect(await setUp(first?.url)).toMatchObject({ status: 403, reason: 'setup_closed' })
    // Not even when that administrator is gone again.
    await ask(database.url, "UPDATE account SET status = 'disabled'")
    expect(await setUp(first?.url)).toMatchObject({ status: 403, reason: 'setup_closed' })
  },
)
