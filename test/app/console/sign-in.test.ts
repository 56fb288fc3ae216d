import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startCpuTime } from '../../support/cpu-time.ts'
import type { Running } from '../serving.ts'
import { admin, createBrowser, sessionOf, startSignIn, user, wrong } from './sign-in-scene.ts'

let app: Running

beforeAll(async () => {
  app = await startSignIn()
})
afterAll(() => app[Symbol.asyncDispose]())

const open = (headers = {}) => createBrowser(app.serving.url, headers)

describe('signing in with a password', () => {
  test('opens a session, in any case of the address', async () => {
    const browser = open()
    expect(await browser.status()).toBe(401)
    const answer = await browser.signIn({ ...admin, email: 'rOOt@example.com' })
    expect(answer).toMatchObject({ status: 200, code: 0, data: { two_factor: false } })
    const me = await browser.get('/api/v1/me')
    expect(me.data).toMatchObject({ email: admin.email, role: 'admin' })
  })

  test('its cookie is for this site, and for no script', async () => {
    const { cookies, headers, text } = await open().signIn(admin)
    expect(cookies).toHaveLength(2)
    expect(cookies[0]).toMatch(
      /^tollgate\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    // The browser is known by the other one, which opens nothing.
    expect(cookies[1]).toMatch(
      /^tollgate\.device=[^;]+; Max-Age=34560000; Path=\/api\/v1\/auth; HttpOnly; SameSite=Lax$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    // The answer itself holds no secret.
    expect(JSON.parse(text)).toEqual({ code: 0, message: 'success', data: { two_factor: false } })
  })

  test('a session that is not to be remembered ends with the browser', async () => {
    const answer = await open().post('/api/v1/auth/sign-in/email', { ...admin, remember: false })
    expect(answer.cookies.join()).not.toContain('Max-Age')
    // In a browser that is never closed it lasts for a day.
    const newest = 'SELECT expires_at - created_at FROM session ORDER BY id DESC LIMIT 1'
    expect(Number(await app.tables.one(newest))).toBeWithin(86_390_000, 86_410_000)
  })

  test('says the same of a wrong password, an unknown address and one without a password', async () => {
    const answers = []
    for (const email of [admin.email, 'nobody@example.com', user.email])
      answers.push(await open().signIn({ email, password: wrong }))
    const [first] = answers
    expect(first).toMatchObject({ status: 401, reason: 'wrong_credentials' })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(new Set(answers.map(({ headers }) => [...headers.keys()].sort().join())).size).toBe(1)
  })

  test('works as hard for an unknown address as for a wrong password', async () => {
    const timed = async (email: string) => {
      // Processor time: the machine may have other work.
      const takenMs = startCpuTime()
      await open().signIn({ email, password: wrong })
      return takenMs()
    }
    await timed(admin.email)
    let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 0; round < 5; round++) {
      known = Math.min(known, await timed(admin.email))
      unknown = Math.min(unknown, await timed(`no${round}@example.com`))
    }
    // A hash of a password takes far longer than all else: without one it would be a tenth.
    expect(unknown).toBeGreaterThan(known / 3)
    expect(known).toBeGreaterThan(unknown / 3)
  })
})

describe('a session', () => {
  test('is another after each sign-in, and the one before is over', async () => {
    const browser = open()
    await browser.signIn(admin)
    const before = sessionOf(browser)
    await browser.signIn(admin)
    expect(sessionOf(browser)).not.toBe(before)
    const old = open({ cookie: `tollgate.session_token=${before}` })
    expect(await old.status()).toBe(401)
    expect(await browser.status()).toBe(200)
  })

  test('that somebody planted is not taken over', async () => {
    const browser = open()
    browser.jar.set('tollgate.session_token', 'planted-token-of-somebody-else.c2ln')
    await browser.signIn(admin)
    expect(sessionOf(browser)).not.toContain('planted')
    expect(await open({ cookie: 'tollgate.session_token=planted-token.c2ln' }).status()).toBe(401)
  })

  test('ends with signing out', async () => {
    const browser = open()
    await browser.signIn(admin)
    const cookie = `tollgate.session_token=${sessionOf(browser)}`
    expect(await browser.post('/api/v1/auth/sign-out')).toMatchObject({ status: 200, data: null })
    expect([...browser.jar.keys()]).toEqual(['tollgate.device'])
    expect(await open({ cookie }).status()).toBe(401)
  })

  test('can not be made of what the database holds', async () => {
    const browser = open()
    await browser.signIn(admin)
    const newest = 'SELECT * FROM session ORDER BY id DESC LIMIT 1'
    const [row] = await app.tables.rows<{ token_hash: string }>(newest)
    const [token] = decodeURIComponent(sessionOf(browser)).split('.')
    expect(JSON.stringify(row)).not.toContain(token ?? '')
    for (const made of [row?.token_hash, `${row?.token_hash}.`, token, `${token}.AAAA`])
      expect(await open({ cookie: `tollgate.session_token=${made}` }).status()).toBe(401)
  })

  test('of a disabled account is over at once, and it signs in no more', async () => {
    const second = { email: 'second@example.com', password: 'a-third-long-password' }
    const browser = open()
    await browser.signIn(second)
    expect(await browser.status()).toBe(200)
    const account = { email: second.email, role: 'user', openingNano: 0 } as const
    await app.instance.store.admin.write({ accounts: [{ ...account, status: 'disabled' }] })
    expect(await browser.status()).toBe(401)
    expect(await open().signIn(second)).toMatchObject({
      ...{ status: 401, reason: 'wrong_credentials' },
    })
    await app.instance.store.admin.write({ accounts: [{ ...account, status: 'active' }] })
    expect(await browser.status()).toBe(401)
    expect(await open().signIn(second)).toMatchObject({ status: 200 })
  })

  test('is listed for its owner, who ends one or all others', async () => {
    await app.instance.store.signIn.endSessions(2, { except: null })
    const [here, there, third] = [open({ 'user-agent': 'here' }), open(), open()]
    for (const browser of [here, there, third]) await browser.signIn(admin)
    const list = (await here.get('/api/v1/auth/sessions')).data as unknown as { id: string }[]
    expect(list).toMatchObject([
      { is_current: false },
      { is_current: false, address: there.address },
      { is_current: true, user_agent: 'here' },
    ])
    expect(JSON.stringify(list)).not.toContain('token')
    expect((await here.delete(`/api/v1/auth/sessions/${list[0]?.id}`)).status).toBe(200)
    expect([await third.status(), await there.status()]).toEqual([401, 200])
    expect((await here.post('/api/v1/auth/sessions/end-others')).data).toEqual({ ended: 1 })
    expect([await there.status(), await here.status()]).toEqual([401, 200])
    expect(await here.delete('/api/v1/auth/sessions/99999')).toMatchObject({ status: 404 })
  })
})

describe('a page of another site', () => {
  const evil = 'https://evil.example'
  const way = '/api/v1/auth/sign-in/email'

  test.each([
    ['its origin', { origin: evil }],
    ['no origin, but another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of the host', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
  ])('can not sign anybody in: %s', async (_, headers) => {
    const answer = await open().post(way, admin, headers)
    expect(answer).toMatchObject({ status: 403, reason: 'foreign_origin', cookies: [] })
  })

  test('can not sign anybody out', async () => {
    const browser = open()
    await browser.signIn(admin)
    const answer = await browser.post('/api/v1/auth/sign-out', undefined, { origin: evil })
    expect(answer).toMatchObject({ status: 403, reason: 'foreign_origin' })
    expect(await browser.status()).toBe(200)
  })

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])(
    'can not use a form: %s',
    async (type) => {
      const answer = await open().post(way, JSON.stringify(admin), { 'content-type': type })
      expect(answer).toMatchObject({ status: 415, reason: 'content_type' })
    },
  )
})

test('a body of more than 64 KiB is refused', async () => {
  const answer = await open().signIn({ email: admin.email, password: 'x'.repeat(70_000) })
  expect(answer).toMatchObject({ status: 413, reason: 'body_too_large' })
})

test('what sign-in libraries have, but the console does not use, is not there', async () => {
  const browser = open()
  await browser.signIn(admin)
  for (const path of [
    'get-session',
    'list-sessions',
    'error',
    'ok',
    'list-accounts',
    'update-user',
  ])
    expect((await browser.get(`/api/v1/auth/${path}`)).status).toBe(404)
  for (const path of ['update-user', 'delete-user', 'two-factor/generate', 'verify-password'])
    expect((await browser.post(`/api/v1/auth/${path}`, {})).status).toBe(404)
})

test('a new password needs the old one, and ends all other sessions', async () => {
  const [browser, other] = [open(), open()]
  const second = { email: 'second@example.com', password: 'a-third-long-password' }
  await browser.signIn(second)
  await other.signIn(second)
  const change = (current_password: string, new_password: string) =>
    browser.post('/api/v1/auth/password', { current_password, new_password })
  expect(await change(wrong, 'new-long-password')).toMatchObject({ reason: 'wrong_password' })
  expect(await change(second.password, 'short')).toMatchObject({
    ...{ status: 400, reason: 'invalid_value', field: 'new_password' },
  })
  expect(await change(second.password, 'new-long-password')).toMatchObject({ status: 200 })
  expect([await browser.status(), await other.status()]).toEqual([200, 401])
  expect((await open().signIn(second)).status).toBe(401)
  expect((await open().signIn({ ...second, password: 'new-long-password' })).status).toBe(200)
  const [entry] = await app.instance.store.admin.audit(1)
  expect(entry).toMatchObject({ actor: second.email, action: 'account.password' })
  // The file still says the old one: it is not put back, as it did not change there.
  await app.serving.reload()
  expect((await open().signIn({ ...second, password: 'new-long-password' })).status).toBe(200)
})
