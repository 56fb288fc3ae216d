import { afterAll, beforeAll, expect, test } from 'bun:test'
import { setPassword } from '../../../src/app/config/password.ts'
import type { Running } from '../serving.ts'
import { type AskedOptions, createAuthenticator } from './authenticator.ts'
import { admin, type Browser, createBrowser, startSignIn } from './sign-in-scene.ts'

let app: Running
let url = ''

beforeAll(async () => {
  app = await startSignIn()
  // A passkey is bound to a name: an address is none.
  url = app.serving.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

async function optionsOf(browser: Browser, path: string): Promise<AskedOptions> {
  const { data } = await browser.get(`/api/v1/auth/${path}/options`)
  return data.options as AskedOptions
}

test('a passkey is added, signs in without a password, and is removed', async () => {
  const owner = createBrowser(url)
  const key = createAuthenticator(url)
  expect((await owner.get('/api/v1/auth/passkeys/options')).status).toBe(401)
  await owner.signIn(admin)
  const response = key.register(await optionsOf(owner, 'passkeys'))
  const added = await owner.post('/api/v1/auth/passkeys', { response, name: 'laptop' })
  expect(added).toMatchObject({ status: 200, data: null })
  const profile = async () => (await owner.get('/api/v1/auth/profile')).data
  expect(await profile()).toMatchObject({ passkeys: [{ id: '1', name: 'laptop' }] })

  const browser = createBrowser(url)
  const assertion = key.authenticate(await optionsOf(browser, 'passkey'))
  const enter = (by: Browser) => by.post('/api/v1/auth/sign-in/passkey', { response: assertion })
  expect(await enter(browser)).toMatchObject({ status: 200, data: null })
  expect((await browser.get('/api/v1/me')).data).toMatchObject({ email: admin.email })
  // The same answer again is worth nothing, nor is it in another browser.
  expect(await enter(browser)).toMatchObject({ status: 401, reason: 'begin_again' })
  const other = createBrowser(url)
  await optionsOf(other, 'passkey')
  expect(await enter(other)).toMatchObject({ status: 401, reason: 'wrong_passkey' })
  expect(await other.status()).toBe(401)

  expect(await owner.delete('/api/v1/auth/passkeys/1')).toMatchObject({ status: 200 })
  expect(await profile()).toMatchObject({ passkeys: [] })
  const gone = createBrowser(url)
  const late = key.authenticate(await optionsOf(gone, 'passkey'))
  const refused = await gone.post('/api/v1/auth/sign-in/passkey', { response: late })
  expect(refused).toMatchObject({ status: 404, reason: 'not_found' })
  expect(await gone.status()).toBe(401)
})

test('an answer that is as old as another, or older, is refused', async () => {
  const owner = createBrowser(url)
  const key = createAuthenticator(url)
  await owner.signIn(admin)
  const response = key.register(await optionsOf(owner, 'passkeys'))
  await owner.post('/api/v1/auth/passkeys', { response, name: 'cloned' })
  const [first, second] = [createBrowser(url), createBrowser(url)]
  const older = key.authenticate(await optionsOf(first, 'passkey'))
  const newer = key.authenticate(await optionsOf(second, 'passkey'))
  const enter = (by: Browser, response: object) =>
    by.post('/api/v1/auth/sign-in/passkey', { response })
  expect(await enter(second, newer)).toMatchObject({ status: 200 })
  expect(await enter(first, older)).toMatchObject({ status: 401, reason: 'wrong_passkey' })
  expect(await first.status()).toBe(401)
  const { data } = await owner.get('/api/v1/auth/profile')
  for (const { id } of data.passkeys as { id: string }[])
    expect(await owner.delete(`/api/v1/auth/passkeys/${id}`)).toMatchObject({ status: 200 })
})

test('what was begun for one thing ends no other', async () => {
  const browser = createBrowser(url)
  const key = createAuthenticator(url)
  const assertion = key.authenticate(await optionsOf(browser, 'passkey'))
  const begun = browser.jar.get('tollgate.passkey') ?? ''
  for (const name of ['two_factor', 'trust_device', 'state', 'session_token'])
    browser.jar.set(`tollgate.${name}`, begun)
  expect(await browser.status()).toBe(401)
  expect(await browser.post('/api/v1/auth/second-factor', { code: '000000' })).toMatchObject({
    ...{ status: 401, reason: 'begin_again' },
  })
  // It is still there for what it was begun for.
  const enter = () => browser.post('/api/v1/auth/sign-in/passkey', { response: assertion })
  expect(await enter()).toMatchObject({ status: 404, reason: 'not_found' })
  expect(await enter()).toMatchObject({ status: 401, reason: 'begin_again' })
})

test('a passkey of another site, or of another owner, is refused', async () => {
  const owner = createBrowser(url)
  await owner.signIn(admin)
  const foreign = createAuthenticator('http://evil.example')
  const response = foreign.register(await optionsOf(owner, 'passkeys'))
  const added = await owner.post('/api/v1/auth/passkeys', { response, name: 'evil' })
  expect(added).toMatchObject({ status: 400, field: 'response' })

  const key = createAuthenticator(url)
  const own = key.register(await optionsOf(owner, 'passkeys'))
  await owner.post('/api/v1/auth/passkeys', { response: own, name: 'own' })
  const { data } = await owner.get('/api/v1/auth/profile')
  const [{ id } = { id: '' }] = data.passkeys as { id: string }[]
  const second = createBrowser(url)
  await second.signIn({ email: 'second@example.com', password: 'a-third-long-password' })
  expect(await second.delete(`/api/v1/auth/passkeys/${id}`)).toMatchObject({ status: 404 })
  expect((await owner.get('/api/v1/auth/profile')).data).toMatchObject({
    passkeys: [{ id, name: 'own' }],
  })
})

test('of a new passkey only what a passkey has is kept, and no more than fits one', async () => {
  const owner = createBrowser(url)
  await owner.signIn(admin)
  const add = async (transports: unknown, padding = 0) => {
    const key = createAuthenticator(url)
    const options = await optionsOf(owner, 'passkeys')
    const answer = key.register(options, padding > 0 ? [[-70_000, Buffer.alloc(padding)]] : [])
    const response = { ...answer, response: { ...answer.response, transports } }
    return owner.post('/api/v1/auth/passkeys', { response, name: 'odd' })
  }
  for (const transports of ['usb', 7, null, {}, ['usb', 'x'.repeat(100_000), 7, 'hybrid']])
    expect(await add(transports)).toMatchObject({ status: 200 })
  const rows = await app.tables.rows(
    "SELECT transports FROM passkey WHERE name = 'odd' ORDER BY id",
  )
  const kept = ['usb', '', '', '', 'usb,hybrid'].map((transports) => ({ transports }))
  expect(rows).toEqual(kept)
  expect(await add(['usb'], 60_000)).toMatchObject({ status: 400, field: 'response' })
})

test('an account has so many passkeys', async () => {
  const owner = createBrowser(url)
  const second = { email: 'second@example.com', password: 'a-third-long-password' }
  await owner.signIn(second)
  const id = Number((await app.instance.store.admin.account(second.email))?.id)
  for (let at = 0; at < 50; at++)
    await app.tables.change(
      `INSERT INTO passkey (account_id, public_key, credential_id, counter, device_type, backed_up)
       VALUES (?, 'none', ?, 0, 'singleDevice', 0)`,
      ...[id, `full-${at}`],
    )
  expect(await owner.get('/api/v1/auth/passkeys/options')).toMatchObject({
    ...{ status: 409, reason: 'conflict' },
  })
})

test('another password names the passkeys that remain; an operator’s removes them', async () => {
  const owner = createBrowser(url)
  const key = createAuthenticator(url)
  const third = { email: 'third@example.com', password: 'a-third-long-password' }
  const passwordHash = await Bun.password.hash(third.password)
  await app.instance.store.signIn.openAccount({ email: third.email, name: '', passwordHash })
  await owner.signIn(third)
  const response = key.register(await optionsOf(owner, 'passkeys'))
  await owner.post('/api/v1/auth/passkeys', { response, name: 'of an intruder' })
  const change = { current_password: third.password, new_password: 'a-fourth-long-password' }
  const changed = await owner.post('/api/v1/auth/password', change)
  expect(changed).toMatchObject({ status: 200 })
  expect(changed.data).toMatchObject({ passkeys: [{ name: 'of an intruder' }], providers: [] })
  const enter = async () => {
    const browser = createBrowser(url)
    const answer = key.authenticate(await optionsOf(browser, 'passkey'))
    return browser.post('/api/v1/auth/sign-in/passkey', { response: answer })
  }
  expect(await enter()).toMatchObject({ status: 200 })
  const reset = { account: third.email, password: 'a-fifth-long-password', actor: 'command line' }
  await setPassword(app.instance, reset)
  expect(await enter()).toMatchObject({ status: 404, reason: 'not_found' })
})
