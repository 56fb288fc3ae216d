import { expect, spyOn, test } from 'bun:test'
import { startServing } from '../serving.ts'
import { admin, createBrowser, startSignIn, user, wrong } from './sign-in-scene.ts'

/**
 * The answers to so many guesses, all wrong: they are counted, however long a hash would take on a busy
 * machine, in which time some are given back. From the same address unless `headers` say another.
 */
async function guess(url: string, count: number, headers: (at: number) => object = () => ({})) {
  using hashing = spyOn(Bun.password, 'verify').mockResolvedValue(false)
  const browser = createBrowser(url)
  const answers = []
  for (let at = 0; at < count; at++)
    answers.push(await browser.signIn({ email: admin.email, password: wrong }, headers(at)))
  // What is refused for coming too often costs no hash.
  const tried = answers.filter(({ status }) => status === 401)
  expect(hashing).toHaveBeenCalledTimes(tried.length)
  return answers
}

test('guesses from one address end after ten, and a good password waits with them', async () => {
  await using app = await startSignIn()
  const answers = await guess(app.serving.url, 11)
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429])
  const last = answers.at(-1)
  expect(last).toMatchObject({ reason: 'too_many_requests' })
  const wait = Number(last?.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(30)
  // Nobody else is locked out by them.
  expect(await createBrowser(app.serving.url).signIn(admin)).toMatchObject({ status: 200 })
})

test('guesses that came too often are counted in the log, not written line by line', async () => {
  await using app = await startSignIn()
  await guess(app.serving.url, 40)
  const refused = app.complaints.filter((line) => line.includes('refused'))
  expect(refused.filter((line) => line.includes('"sign-in refused"'))).toHaveLength(10)
  expect(refused).toHaveLength(11)
  expect(refused.at(-1)).toContain('"count":1')
})

test('X4, X6: an address that a client makes up does not help', async () => {
  // Here no proxy is trusted.
  const account = { email: admin.email, role: 'admin', password: admin.password }
  await using app = await startServing({ upstream: 'http://127.0.0.1:9', moreAccounts: [account] })
  const forged = (at: number) => ({
    'x-forwarded-for': `203.0.113.${at}`,
    'x-real-ip': `203.0.113.${at}`,
    'cf-connecting-ip': `203.0.113.${at}`,
    'x-tollgate-client': `203.0.113.${at}`,
    forwarded: `for=203.0.113.${at}`,
  })
  const answers = await guess(app.serving.url, 11, forged)
  expect(answers.at(-1)).toMatchObject({ status: 429 })
})

test('a session says which address it was begun from', async () => {
  await using app = await startSignIn()
  const browser = createBrowser(app.serving.url, { 'x-tollgate-client': '203.0.113.9' })
  await browser.signIn(admin)
  expect((await browser.get('/api/v1/auth/sessions')).data).toMatchObject([
    { address: browser.address },
  ])
})

test('X6: guesses at one account from many addresses end after twenty', async () => {
  await using app = await startSignIn()
  const from = (at: number) => ({ 'x-forwarded-for': `192.0.2.${at}` })
  const answers = await guess(app.serving.url, 21, from)
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(401), 429])
})

test('X6: guesses at the password of who is signed in end after twenty', async () => {
  await using app = await startSignIn()
  const browser = createBrowser(app.serving.url)
  await browser.signIn(admin)
  const enable = (password: string) => browser.post('/api/v1/auth/two-factor/enable', { password })
  const guesses = async () => {
    using hashing = spyOn(Bun.password, 'verify').mockResolvedValue(false)
    const answers = []
    for (let at = 0; at < 21; at++) answers.push(await enable(wrong))
    expect(hashing).toHaveBeenCalledTimes(20)
    return answers.map(({ status, reason }) => [status, reason])
  }
  expect(await guesses()).toEqual([
    ...Array(20).fill([403, 'wrong_password']),
    [429, 'too_many_requests'],
  ])
  expect(await enable(admin.password)).toMatchObject({ status: 429 })
})

test('a right password takes no attempt', async () => {
  await using app = await startSignIn()
  const browser = createBrowser(app.serving.url)
  for (let at = 0; at < 12; at++) expect((await browser.signIn(admin)).status).toBe(200)
})

test('an account can be opened only while the setting says so', async () => {
  await using app = await startSignIn()
  const browser = createBrowser(app.serving.url)
  const entry = { email: 'New@example.com', password: 'a-good-long-password' }
  const signUp = (body: object) => browser.post('/api/v1/auth/sign-up/email', body)
  expect(await signUp(entry)).toMatchObject({ status: 403, reason: 'registration_closed' })
  const methods = async () => (await browser.get('/api/v1/auth/methods')).data
  expect(await methods()).toMatchObject({ registration_enabled: false, setup_open: false })

  const settings = { registration_enabled: true }
  await app.configure({ settings })
  expect(await methods()).toMatchObject({ registration_enabled: true })
  expect(await signUp({ ...entry, password: 'short' })).toMatchObject({ field: 'password' })
  expect(await signUp({ ...entry, email: 'none' })).toMatchObject({ status: 400 })
  expect(await signUp({ ...entry, email: user.email })).toMatchObject({ reason: 'name_taken' })
  const { admin: accounts } = app.instance.store
  for (const own of [{ role: 'admin' }, { status: 'active' }, { balance_nano: 9 }]) {
    const [field = ''] = Object.keys(own)
    expect(await signUp({ ...entry, ...own })).toMatchObject({ status: 400, field })
  }
  expect(await signUp(entry)).toMatchObject({ status: 200 })
  expect((await browser.get('/api/v1/me')).data).toMatchObject({ role: 'user', balance: '0' })
  expect(await accounts.account('new@example.com')).toMatchObject({ role: 'user', balanceNano: 0 })
  // Each attempt counts here, successful or not.
  expect(await signUp({ ...entry, email: 'more@example.com' })).toMatchObject({ status: 200 })
  expect(await signUp({ ...entry, email: 'most@example.com' })).toMatchObject({ status: 429 })

  await app.configure({ settings: { registration_enabled: false } })
  const other = createBrowser(app.serving.url)
  const closed = await other.post('/api/v1/auth/sign-up/email', { ...entry, email: 'x@y.example' })
  expect(closed).toMatchObject({ status: 403 })
})
