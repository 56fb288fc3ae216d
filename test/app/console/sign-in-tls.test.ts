import { expect, test } from 'bun:test'
import { admin, createBrowser, startSignIn } from './sign-in-scene.ts'

const secure =
  /^__Secure-tollgate\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/
const forwarded = { 'x-forwarded-proto': 'https' }

test('cookies are for TLS where a trusted proxy was asked by TLS', async () => {
  await using app = await startSignIn()
  const { host } = new URL(app.serving.url)
  const origin = `https://${host}`
  const browser = createBrowser(app.serving.url, forwarded)
  const answer = await browser.post('/api/v1/auth/sign-in/email', admin, { origin })
  expect(answer.cookies[0]).toMatch(secure)
  expect(await browser.status()).toBe(200)
  // The cookie of the one does not count for the other.
  const value = browser.jar.get('__Secure-tollgate.session_token')
  const plain = createBrowser(app.serving.url, { cookie: `tollgate.session_token=${value}` })
  expect(await plain.status()).toBe(200)
  const tls = createBrowser(app.serving.url, {
    ...forwarded,
    cookie: `tollgate.session_token=${value}`,
  })
  expect(await tls.status()).toBe(401)
})

test('who is no trusted proxy can not say that it was TLS', async () => {
  await using app = await startSignIn({ server: {} })
  const { cookies } = await createBrowser(app.serving.url, forwarded).signIn(admin)
  expect(cookies[0]).toStartWith('tollgate.session_token=')
  expect(cookies[0]).not.toContain('Secure')
})

test('cookies are for TLS where the gateway’s own address says https', async () => {
  await using app = await startSignIn({ site: { base_url: 'https://gateway.example.com' } })
  const browser = createBrowser(app.serving.url)
  const answer = await browser.signIn(admin)
  expect(answer.cookies[0]).toMatch(secure)
  expect(await browser.status()).toBe(200)
  const own = { origin: 'https://gateway.example.com' }
  expect(await createBrowser(app.serving.url).signIn(admin, own)).toMatchObject({ status: 200 })
})
