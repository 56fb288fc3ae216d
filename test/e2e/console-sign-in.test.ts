import { expect, test } from 'bun:test'
import { createBrowser } from '../app/console/sign-in-scene.ts'
import { startBinary } from '../support/binary.ts'

const admin = { email: 'first@example.com', password: 'a-good-long-password' }

test('the compiled program: its link makes an administrator, who signs in and out', async () => {
  await using gate = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) => `server: { listen: "${listen}" }\n`,
  })
  const link = gate.stdout.map((line) => JSON.parse(line).link).find((one) => one !== undefined)
  expect(link).toStartWith(`${gate.url}/console/setup?code=`)
  const code = new URL(link).searchParams.get('code')
  const browser = createBrowser(gate.url)
  const made = await browser.post('/api/v1/setup', { ...admin, code })
  expect(made).toMatchObject({ status: 200, data: null })
  // What a handler says of its answer's head must survive the compiler.
  expect(made.cookies.join()).toMatch(/^tollgate\.session_token=[^;]+; .*HttpOnly; SameSite=Lax$/)
  expect(made.headers.get('cache-control')).toBe('no-store')
  expect(await browser.status()).toBe(200)
  await browser.post('/api/v1/auth/sign-out')
  expect(await browser.status()).toBe(401)
  expect(await browser.signIn({ ...admin, password: 'wrong-password' })).toMatchObject({
    status: 401,
  })
  expect(await browser.signIn(admin)).toMatchObject({ status: 200 })
  expect(await browser.status()).toBe(200)
  // X7: neither a password nor a session is in what it wrote.
  const wrote = [...gate.stdout, ...gate.stderr].join('\n')
  const session = browser.jar.get('tollgate.session_token') ?? 'none'
  for (const secret of [admin.password, 'wrong-password', session, session.split('.')[0] ?? ''])
    expect(wrote).not.toContain(secret)
  expect(wrote).toContain('"message":"sign-in refused","account_id":1')
  expect(gate.stderr.join('')).toBe('')
})
