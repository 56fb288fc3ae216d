import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Running } from '../serving.ts'
import { type AskedOptions, createAuthenticator } from './authenticator.ts'
import { signInThrough, startOidcProvider } from './oidc-provider.ts'
import { admin, createBrowser, startSignIn, totp } from './sign-in-scene.ts'

// What the program kept of people while a library signed them in goes on: rows and cookies of 55909b4.

const secret = 'the secret of the former sign-ins'
const totpSecret = 'NJKWURRXKZEDQNKZIRWU2MCYJ53G4YKGINKFG6KLNRMFETTWO5VA'
const backupCode = 'dlWtA-RvhHw'
const rows = {
  secret:
    '$ba$1$a0c5b02b10606ad40105af0190eba636832e6f686442b096c04f4f2d7558b57638053225a6a47ffd95d9b9a580ee7aa24fdbfbae6580589b435eb31d6b3c5bfe3a6d7352200b2561',
  backupCodes:
    '$ba$1$8ad334eed68f163578d369f7b20e5a9b2ffdd43c81b5c3ff97bbe97f0282f12d8bea5384f09bf12959e4387a9baefb3efd192d95a7570d96981719e85ba78ddaf71d6bcd83a2868bb5975bbe5869598a6fda6c5601295ebecf7814981fc654ae3dd2f4cb6e36fbf90d70733d52420d5d745858b2a795722e20f6bfe86238bc7a776cdba0c9359addbd30db0de9799ae8a4cc0e812c2441b8c575c1ac76cc05226372cff3d57b76c0b4aaba02b4ed89330541ab6789',
  tokenHash: 'sm9kWy7wRIBS1Hs-I1_C6KiP30ZeHq36nv-UnU2AWjw',
  trustedDevice: 'vSar87zI_rOz00sV6wt5fK65BTV7ypsRmkBaiBBHaoI',
}
const sessionCookie =
  'tollgate.session_token=sG7aA9qzgnmmmmvg2Rz9qr9tWmFGlEtv.bSSU3JNNybMD9g5CNu9NE4bSdL1ecHu4cvVS%2FPD7PO0%3D'
const trustedCookie =
  'tollgate.trust_device=3LN76kfiIdaeI66_O2kS9tpBIzgYqjoiVZZ0PTdM3HY!trust-device-FEK2uJT2F8OWoeDreqrLBNDRILGN9dZ_.yBd1wM9gwxtrkeZRq6YEEZVRymbaSxSdEqSfKM%2FfpEg%3D'

/** Passkeys as their holders and the table have them; the second without ways to ask it. */
const passkeys = [
  {
    key: {
      ...{ kty: 'EC', crv: 'P-256', d: 'EC7KYwsPp6MWGPGVt2k1nxd7xPrup-lvXDvbvi1AxWw' },
      x: 'vPpx1DMIDapvjrvWrsjSeKMc-y9cE4266cDgY3nhw84',
      y: 'bEDgvJNPkQnH2CxsWPnZJomlEuDzY8bDnswj214DDfA',
    },
    id: 'fEve_TqFHlKro0ffH3qfxg',
    publicKey:
      'pQECAyYgASFYILz6cdQzCA2qb4671q7I0nijHPsvXBONuunA4GN54cPOIlggbEDgvJNPkQnH2CxsWPnZJomlEuDzY8bDnswj214DDfA=',
    transports: 'internal',
  },
  {
    key: {
      ...{ kty: 'EC', crv: 'P-256', d: '1Yg5qXvYvGVCQkumY97u8ll4Z20HyFNOfBrlNa2moU0' },
      x: 'QLzXnpcGu0YmLD0iTBuyb4UjQ_3lEK_Aa3nADqAVWr4',
      y: 'w0bfgkbf2eTeS9exKkZV9dbFfRLNvDkjLCVlj-j7gUM',
    },
    id: 'ZEuo98fZA3XNMZmVOF4HlA',
    publicKey:
      'pQECAyYgASFYIEC8156XBrtGJiw9Ikwbsm+FI0P95RCvwGt5wA6gFVq+Ilggw0bfgkbf2eTeS9exKkZV9dbFfRLNvDkjLCVlj+j7gUM=',
    transports: '',
  },
]

let provider: Awaited<ReturnType<typeof startOidcProvider>>
let app: Running
beforeAll(async () => {
  provider = await startOidcProvider()
  const given = process.env.TOLLGATE_SECRET
  process.env.TOLLGATE_SECRET = secret
  app = await startSignIn({ signIn: { oidc: [provider.config] } })
  if (given === undefined) delete process.env.TOLLGATE_SECRET
  else process.env.TOLLGATE_SECRET = given
  const { tables } = app
  const id = Number((await app.instance.store.admin.account(admin.email))?.id)
  const [now, later] = [Date.now(), Date.now() + 3_600_000]
  await tables.change('UPDATE account SET two_factor_enabled = 1 WHERE id = ?', id)
  await tables.change(
    'INSERT INTO two_factor (account_id, secret, backup_codes, verified) VALUES (?, ?, ?, 1)',
    ...[id, rows.secret, rows.backupCodes],
  )
  await tables.change(
    `INSERT INTO session (account_id, token_hash, expires_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?)`,
    ...[id, rows.tokenHash, later, now, now],
  )
  await tables.change(
    `INSERT INTO verification (identifier, value, expires_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?)`,
    ...[rows.trustedDevice, String(id), later, now, now],
  )
  for (const one of passkeys)
    await tables.change(
      `INSERT INTO passkey (account_id, name, public_key, credential_id, counter, device_type,
         backed_up, transports, created_at, aaguid)
       VALUES (?, 'laptop', ?, ?, 2, 'singleDevice', 0, ?, ?, ?)`,
      ...[id, one.publicKey, one.id, one.transports, now, '00000000-0000-0000-0000-000000000000'],
    )
  await tables.change(
    `INSERT INTO credential (account_id, provider, subject, created_at, updated_at)
     VALUES (?, 'company', 'abc', ?, ?)`,
    ...[id, now, now],
  )
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await provider.stop()
})

const open = (cookie?: string) => createBrowser(app.serving.url, cookie ? { cookie } : {})

test('a session goes on', async () => {
  expect((await open(sessionCookie).get('/api/v1/me')).data).toMatchObject({ email: admin.email })
})

test('a device that was trusted is asked for no code, and trusted further', async () => {
  const answer = await open(trustedCookie).signIn(admin)
  expect(answer.data).toEqual({ two_factor: false })
  expect(answer.cookies.join()).toMatch(
    /tollgate\.trust_device=trust-device-[^;]+; Max-Age=2592000/,
  )
  // The former cookie is good no more.
  expect((await open(trustedCookie).signIn(admin)).data).toEqual({ two_factor: true })
})

test.each([
  ['an app', () => ({ code: totp(totpSecret) })],
  ['a backup code', () => ({ code: backupCode, backup: true })],
])('a second factor opens a session with %s', async (_, typed) => {
  const browser = open()
  expect((await browser.signIn(admin)).data).toEqual({ two_factor: true })
  expect(await browser.post('/api/v1/auth/second-factor', typed())).toMatchObject({ status: 200 })
  expect(await browser.status()).toBe(200)
})

test('a backup code is still good once, and the others are kept', async () => {
  const enter = async (code: string) => {
    const browser = open()
    await browser.signIn(admin)
    return (await browser.post('/api/v1/auth/second-factor', { code, backup: true })).status
  }
  expect([await enter(backupCode), await enter('QYtN7-3nFkm')]).toEqual([403, 200])
})

test.each(passkeys)('a passkey ($id) signs in, and its counter goes on', async ({ id, key }) => {
  const url = app.serving.url.replace('127.0.0.1', 'localhost')
  const enter = async (counter: number) => {
    const browser = createBrowser(url)
    const { data } = await browser.get('/api/v1/auth/passkey/options')
    const holder = createAuthenticator(url, { key, id, counter })
    const response = holder.authenticate(data.options as AskedOptions)
    const answer = await browser.post('/api/v1/auth/sign-in/passkey', { response })
    expect(await browser.status()).toBe(answer.status)
    return answer.status
  }
  // One that counts no further was copied.
  expect([await enter(1), await enter(2), await enter(2)]).toEqual([401, 200, 401])
})

test('the passkeys are named to a browser that adds another', async () => {
  const url = app.serving.url.replace('127.0.0.1', 'localhost')
  const { data } = await createBrowser(url, { cookie: sessionCookie }).get(
    '/api/v1/auth/passkeys/options',
  )
  expect(data.options).toMatchObject({
    excludeCredentials: passkeys.map(({ id }) => ({ id, type: 'public-key' })),
  })
})

test('a provider that was linked signs in to the same account, whatever the address is', async () => {
  const browser = open()
  const person = { sub: 'abc', email: 'moved@example.com' }
  const answer = await signInThrough(provider, browser, person)
  expect(answer.headers.get('location')).toBe('/console')
  expect((await browser.get('/api/v1/me')).data).toMatchObject({ email: admin.email })
})
