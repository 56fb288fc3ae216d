import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from 'bun:test'
import type { Running } from '../serving.ts'
import { admin, type Browser, createBrowser, startSignIn, wrong } from './sign-in-scene.ts'

// Hashing passwords is scarce: whoever fills the line before it keeps strangers waiting, and nobody else.

let app: Running
let owner: Browser
beforeAll(async () => {
  app = await startSignIn()
  owner = createBrowser(app.serving.url)
  expect((await owner.signIn(admin)).status).toBe(200)
  await owner.post('/api/v1/auth/sign-out')
  expect(await owner.status()).toBe(401)
})
afterAll(() => app[Symbol.asyncDispose]())
afterEach(() => setSystemTime())

/** Guesses from so many networks, each at an account of its own unless one is named. */
const flood = (networks: number, email?: string) =>
  Array.from({ length: networks }, (_, at) =>
    createBrowser(app.serving.url, { 'x-forwarded-for': `10.${at}.0.1` }).signIn({
      email: email ?? `guess-${at}@example.com`,
      password: wrong,
    }),
  )

test('A10: guesses from 40 networks keep nobody out who is known here', async () => {
  const guesses = flood(40)
  let answered = 0
  for (const guess of guesses) void guess.then(() => answered++)
  // A stranger from another network waits, and gets in; who is known does not wait for the rest.
  const [known, stranger] = await Promise.all([
    owner.signIn(admin).then((answer) => ({ ...answer, before: answered })),
    createBrowser(app.serving.url).signIn(admin),
  ])
  expect([known.status, stranger.status]).toEqual([200, 200])
  expect(known.before).toBeLessThan(40)
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([401]))
}, 120_000)

test('who makes many browsers known for one account keeps no other out who is known', async () => {
  const other = { email: 'second@example.com', password: 'a-third-long-password' }
  const browsers = Array.from({ length: 10 }, () => createBrowser(app.serving.url))
  for (const browser of browsers) {
    expect((await browser.signIn(other)).status).toBe(200)
    await browser.post('/api/v1/auth/sign-out')
  }
  await owner.post('/api/v1/auth/sign-out')
  let answered = 0
  const others = browsers.map((browser) => browser.signIn(other).then(() => answered++))
  const before = await owner.signIn(admin).then(({ status }) => [status, answered] as const)
  await Promise.all(others)
  expect(before[0]).toBe(200)
  expect(before[1]).toBeLessThan(8)
}, 120_000)

test('who signs in again and again with one account keeps no stranger out, and ends', async () => {
  const other = { email: 'second@example.com', password: 'a-third-long-password' }
  const first = createBrowser(app.serving.url)
  expect((await first.signIn(other)).status).toBe(200)
  const device = [...first.jar].filter(([name]) => name.includes('device'))
  let answered = 0
  const again = async () => {
    const statuses = []
    for (let at = 0; at < 7; at++) {
      const browser = createBrowser(app.serving.url)
      for (const [name, value] of device) browser.jar.set(name, value)
      statuses.push((await browser.signIn(other)).status)
      answered++
    }
    return statuses
  }
  const loops = Array.from({ length: 10 }, again)
  const stranger = await createBrowser(app.serving.url).signIn(admin)
  expect([stranger.status, answered < 40]).toEqual([200, true])
  const statuses = (await Promise.all(loops)).flat()
  expect(statuses.filter((status) => status === 200).length).toBeLessThan(statuses.length)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
}, 120_000)

test('guesses at one account end there, but not for the browser that its owner has used', async () => {
  setSystemTime(new Date()) // no guess is allowed again because hashing is slow
  await owner.post('/api/v1/auth/sign-out')
  const statuses = (await Promise.all(flood(30, admin.email))).map(({ status }) => status)
  expect(statuses).toContain(429)
  expect((await owner.signIn(admin)).status).toBe(200)
  // Its cookie opens nothing, and counts for this account alone.
  await owner.post('/api/v1/auth/sign-out')
  expect((await owner.signIn({ ...admin, password: wrong })).status).toBe(401)
  const cookie = [...owner.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  expect(cookie).toContain('tollgate.device=')
  expect(cookie).not.toContain(admin.email)
  const forged = createBrowser(app.serving.url, { cookie: cookie.replace(/.$/, '') })
  expect((await forged.signIn(admin)).status).toBe(429)
}, 120_000)

test('a browser that is known has so many guesses, too', async () => {
  setSystemTime(new Date()) // no guess is allowed again because hashing is slow
  const answers = []
  for (let at = 0; at < 21; at++) {
    answers.push((await owner.signIn({ ...admin, password: wrong })).status)
  }
  expect(answers.filter((status) => status === 401).length).toBeLessThanOrEqual(20)
  expect(answers.at(-1)).toBe(429)
}, 120_000)
