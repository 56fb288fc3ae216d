import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Running } from '../serving.ts'
import { admin, type Browser, createBrowser, startSignIn, totp } from './sign-in-scene.ts'

// A device that is trusted is asked for no code: by its account alone, and until that changes its mind.

const second = { email: 'second@example.com', password: 'a-third-long-password' }
const cookie = 'tollgate.trust_device'

let app: Running
beforeAll(async () => {
  app = await startSignIn()
})
afterAll(() => app[Symbol.asyncDispose]())

const open = () => createBrowser(app.serving.url)
const post = (browser: Browser, path: string, body: object) =>
  browser.post(`/api/v1/auth/${path}`, body)

/** Gives a new second factor to somebody; returns a browser that their account trusts. */
async function trusting(who: typeof admin) {
  const browser = open()
  await browser.signIn(who)
  const { data } = await post(browser, 'two-factor/enable', { password: who.password })
  const secret = new URL(String(data.totp_uri)).searchParams.get('secret') ?? ''
  const confirmed = await post(browser, 'two-factor/confirm', { code: totp(secret) })
  expect(confirmed).toMatchObject({ status: 200 })
  expect((await browser.signIn(who)).data).toEqual({ two_factor: true })
  const entered = await post(browser, 'second-factor', { code: totp(secret, 1), trust: true })
  expect(entered).toMatchObject({ status: 200 })
  return browser
}

/** Whether a browser with this cookie is asked for a code. */
async function isAsked(trust: string, who: typeof admin) {
  const browser = open()
  browser.jar.set(cookie, trust)
  const { data } = await browser.signIn(who)
  return { isAsked: data.two_factor, trust: browser.jar.get(cookie) ?? '' }
}

test('it is trusted by no other account', async () => {
  const { jar } = await trusting(admin)
  const other = (await trusting(second)).jar.get(cookie) ?? ''
  const own = await isAsked(jar.get(cookie) ?? '', admin)
  expect(own.isAsked).toBe(false)
  expect((await isAsked(own.trust, second)).isAsked).toBe(true)
  expect((await isAsked(other, second)).isAsked).toBe(false)
})

test('it is trusted no more after another password', async () => {
  await app.instance.store.signIn.resetTwoFactor(second.email, 'command line')
  const browser = await trusting(second)
  const trust = browser.jar.get(cookie) ?? ''
  const change = { current_password: second.password, new_password: 'a-fourth-long-password' }
  expect(await post(browser, 'password', change)).toMatchObject({ status: 200 })
  const changed = { ...second, password: change.new_password }
  expect((await isAsked(trust, changed)).isAsked).toBe(true)
})

test('it is trusted no more after the second factor was another', async () => {
  await app.instance.store.signIn.resetTwoFactor(admin.email, 'command line')
  const browser = await trusting(admin)
  const trust = browser.jar.get(cookie) ?? ''
  const { password } = admin
  expect(await post(browser, 'two-factor/disable', { password })).toMatchObject({ status: 200 })
  await trusting(admin)
  expect((await isAsked(trust, admin)).isAsked).toBe(true)
})
