import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Running } from '../serving.ts'
import {
  admin,
  type Browser,
  createBrowser,
  sessionOf,
  startSignIn,
  totp,
  wrong,
} from './sign-in-scene.ts'

let app: Running
let secret = ''
let backupCodes: readonly string[] = []

beforeAll(async () => {
  app = await startSignIn()
})
afterAll(() => app[Symbol.asyncDispose]())

const open = () => createBrowser(app.serving.url)
const factors = async () => JSON.stringify(await app.tables.rows('SELECT * FROM two_factor'))

const post = (browser: Browser, path: string, body: object) =>
  browser.post(`/api/v1/auth/${path}`, body)

test('is switched on with the password and a first code', async () => {
  const browser = open()
  await browser.signIn(admin)
  const session = sessionOf(browser)
  const enable = (password: string) => post(browser, 'two-factor/enable', { password })
  expect(await enable(wrong)).toMatchObject({ status: 403, reason: 'wrong_password' })
  const { data } = await enable(admin.password)
  const uri = new URL(String(data.totp_uri))
  secret = uri.searchParams.get('secret') ?? ''
  backupCodes = data.backup_codes as string[]
  expect(uri.searchParams.get('issuer')).toBe('Tollgate')
  expect(backupCodes).toHaveLength(10)
  // It is not asked for before the first code.
  expect(await open().signIn(admin)).toMatchObject({ data: { two_factor: false } })

  expect(await post(browser, 'two-factor/confirm', { code: '000000' })).toMatchObject({
    ...{ status: 403, reason: 'wrong_code', field: 'code' },
  })
  expect(await post(browser, 'two-factor/confirm', { code: totp(secret) })).toMatchObject({
    status: 200,
  })
  expect(sessionOf(browser)).not.toBe(session)
  expect((await browser.get('/api/v1/auth/profile')).data).toMatchObject({ two_factor: true })
  // Nobody makes a fresh session of an old one with a code that was seen.
  expect(await post(browser, 'two-factor/confirm', { code: totp(secret) })).toMatchObject({
    ...{ status: 409, reason: 'conflict' },
  })
})

test('neither its secret nor a backup code can be read in the database', async () => {
  const stored = await factors()
  for (const text of [secret, ...backupCodes]) expect(stored).not.toContain(text)
})

test('opens no session before the code is right', async () => {
  const browser = open()
  const answer = await browser.signIn(admin)
  expect(answer).toMatchObject({ status: 200, data: { two_factor: true } })
  expect(answer.cookies.join()).not.toMatch(/session_token=[^;]/)
  expect(await browser.status()).toBe(401)
  const enter = (code: string) => post(browser, 'second-factor', { code })
  expect(await enter('000000')).toMatchObject({ status: 403, reason: 'wrong_code' })
  expect(await browser.status()).toBe(401)
  // The one that switched it on is used up.
  expect(await enter(totp(secret, 1))).toMatchObject({ status: 200, data: null })
  expect(await browser.status()).toBe(200)
})

test('the first step ends the session that the browser had', async () => {
  const browser = open()
  const second = { email: 'second@example.com', password: 'a-third-long-password' }
  await browser.signIn(second)
  const old = createBrowser(app.serving.url, {
    cookie: `tollgate.session_token=${sessionOf(browser)}`,
  })
  expect(await old.status()).toBe(200)
  expect(await browser.signIn(admin)).toMatchObject({ data: { two_factor: true } })
  expect(await old.status()).toBe(401)
})

test('a code without the first step is worth nothing', async () => {
  const browser = open()
  expect(await post(browser, 'second-factor', { code: totp(secret) })).toMatchObject({
    ...{ status: 401, reason: 'begin_again' },
  })
})

test('a backup code is good once', async () => {
  const enter = async () => {
    const browser = open()
    await browser.signIn(admin)
    const body = { code: backupCodes[0] ?? '', backup: true }
    return (await post(browser, 'second-factor', body)).status
  }
  expect([await enter(), await enter()]).toEqual([200, 403])
})

test('X6: five wrong codes end the first step, ten in a row lock the second factor', async () => {
  const guesses = async (count: number) => {
    const browser = open()
    await browser.signIn(admin)
    const answers = []
    for (let at = 0; at < count; at++)
      answers.push((await post(browser, 'second-factor', { code: '000000' })).status)
    return answers
  }
  expect(await guesses(6)).toEqual([403, 403, 403, 403, 403, 401])
  await guesses(5)
  const browser = open()
  await browser.signIn(admin)
  const locked = await post(browser, 'second-factor', { code: totp(secret) })
  expect(locked).toMatchObject({ status: 429, reason: 'too_many_requests' })
  expect(locked.headers.get('retry-after')).toBe('900')
})

test('is removed by an operator, who ends all sessions with it', async () => {
  const { signIn } = app.instance.store
  await signIn.resetTwoFactor(admin.email, 'command line')
  expect(await factors()).toBe('[]')
  const browser = open()
  expect(await browser.signIn(admin)).toMatchObject({ data: { two_factor: false } })
  expect(await browser.status()).toBe(200)
})

test('is removed by its owner with the password', async () => {
  const browser = open()
  await browser.signIn(admin)
  const { data } = await post(browser, 'two-factor/enable', { password: admin.password })
  const fresh = new URL(String(data.totp_uri)).searchParams.get('secret') ?? ''
  await post(browser, 'two-factor/confirm', { code: totp(fresh) })
  const more = await post(browser, 'two-factor/backup-codes', { password: admin.password })
  expect(more.data.backup_codes).not.toEqual(data.backup_codes)
  expect(await post(browser, 'two-factor/disable', { password: wrong })).toMatchObject({
    status: 403,
  })
  expect(await post(browser, 'two-factor/disable', { password: admin.password })).toMatchObject({
    status: 200,
  })
  expect(await open().signIn(admin)).toMatchObject({ data: { two_factor: false } })
  const actions = (await app.instance.store.admin.audit(9)).map(({ action }) => action)
  expect(actions.slice(-2)).toEqual(['account.2fa_on', 'account.2fa_off'])
})

test('A10: a code is good once, however many use it at once, and though it switched it on', async () => {
  const second = { email: 'second@example.com', password: 'a-third-long-password' }
  const browser = open()
  await browser.signIn(second)
  const { data } = await post(browser, 'two-factor/enable', { password: second.password })
  const own = new URL(String(data.totp_uri)).searchParams.get('secret') ?? ''
  const first = totp(own)
  await post(browser, 'two-factor/confirm', { code: first })
  const enter = async (code: string) => {
    const browser = open()
    await browser.signIn(second)
    await post(browser, 'second-factor', { code, trust: true })
    return browser.status()
  }
  const code = totp(own, 1)
  const answers = await Promise.all([enter(code), enter(code), enter(code)])
  expect(answers.toSorted()).toEqual([200, 401, 401])
  expect(await enter(first)).toBe(401)
})

test('a browser that one account trusts is not trusted by another', async () => {
  const third = { email: 'third@example.com', password: 'a-fourth-long-password' }
  const fourth = { email: 'fourth@example.com', password: 'a-fifth-long-password' }
  await using own = await startSignIn({ moreAccounts: [third, fourth] })
  const open = () => createBrowser(own.serving.url)
  const backups = new Map<string, readonly string[]>()
  for (const account of [third, fourth]) {
    const browser = open()
    await browser.signIn(account)
    const { data } = await post(browser, 'two-factor/enable', { password: account.password })
    const secret = new URL(String(data.totp_uri)).searchParams.get('secret') ?? ''
    await post(browser, 'two-factor/confirm', { code: totp(secret) })
    backups.set(account.email, data.backup_codes as string[])
  }
  const browser = open()
  await browser.signIn(third)
  const [code] = backups.get(third.email) ?? []
  await post(browser, 'second-factor', { code, backup: true, trust: true })
  expect(await browser.status()).toBe(200)
  expect(await browser.signIn(third)).toMatchObject({ data: { two_factor: false } })
  expect(await browser.signIn(fourth)).toMatchObject({ data: { two_factor: true } })
  expect(await browser.status()).toBe(401)
})
