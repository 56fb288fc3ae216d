import { afterAll, expect, test } from 'bun:test'
import { sessionOf } from '../app/console/sign-in-scene.ts'
import { until } from '../e2e/until.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { askedOf, makeThings } from './security/routes.ts'
import { otherKey, type Person, password, startSecurityScene } from './security/scene.ts'
import { table } from './security/table.ts'

const secrets: Record<string, string> = {
  "the gateway's own": 'tollgate-secret-1d3c5b79af',
  'upstream key': 'upstream-key-one-5e1f0c9d',
  'upstream key behind a proxy': 'upstream-key-two-77ab31e4',
  'upstream key given in the console': 'upstream-key-three-0d2c',
  'upstream key that is refused': 'upstream key four 8b1e',
  'password of a proxy': 'proxy-password-2c6f',
  'password of a proxy given in the console': 'proxy-password-93ba',
  'password of a proxy that is refused': 'proxy-password-6f70',
  'secret of an OIDC provider': 'oidc-client-secret-9d41',
  'password of an account': password,
  'password that was given': 'a-given-password-71f3',
  'password that was typed wrong': 'a-wrong-password-4e0a',
  'guess at the set-up code': 'a-guessed-code-88c1',
  'key of a token': testKey,
  "key of another's token": otherKey,
}
const secret = (name: string): string => secrets[name] ?? ''
const wrong = secret('password that was typed wrong')

const provider = {
  ...{ id: 'company', name: 'Company', client_id: 'client' },
  ...{ client_secret: secret('secret of an OIDC provider') },
  discovery_url: 'http://127.0.0.1:9/openid-configuration',
}
const far = {
  ...{ name: 'far', models: ['far-model'], allow_private: true },
  speaks: { chat: 'http://127.0.0.1:9/v1' },
  api_key: secret('upstream key behind a proxy'),
  proxy: `http://person:${secret('password of a proxy')}@127.0.0.1:9`,
}

process.env.TOLLGATE_SECRET = secret("the gateway's own")
const scene = await startSecurityScene({
  moreChannels: [far],
  channel: { api_key: secret('upstream key') },
  group: { channels: ['main', 'far'] },
  prices: { 'far-model': { input: 1, output: 2 } },
  signIn: { oidc: [provider] },
})
delete process.env.TOLLGATE_SECRET
const things = await makeThings(scene)
afterAll(scene.stop)

/** What the console answered to those who change something. */
const answers: string[] = []
async function send(person: Person, method: string, path: string, body: object) {
  const response = await scene.ask(person, { method, path: `/api/v1/${path}`, body })
  const text = await response.text()
  return { status: response.status, text, data: JSON.parse(text).data ?? {} }
}
/** The same, where the answer must hold no secret. */
async function note(...asked: Parameters<typeof send>) {
  const { status, text } = await send(...asked)
  answers.push(text)
  return status
}

/** An upstream that quotes the key that it was asked with; only 400 is passed on to clients. */
const quoteKey = (status: number) =>
  scene.upstream.handle(({ headers }) => {
    const message = `What is ${headers.get('authorization')}?`
    return Response.json({ error: { message, type: 'invalid_request_error' } }, { status })
  })

async function plant() {
  const made = await send('user', 'POST', 'tokens', { group: 'default' })
  secrets['key of a token that was made'] = made.data.key
  const shown = await send('user', 'POST', `tokens/${things.tokens}/reveal`, { password })
  expect(shown.data.key).toBe(testKey)
  const factor = await send('other', 'POST', 'auth/two-factor/enable', { password })
  secrets['secret of a second factor'] =
    new URL(factor.data.totp_uri).searchParams.get('secret') ?? ''
  for (const [at, code] of factor.data.backup_codes.entries()) secrets[`backup code ${at}`] = code
  for (const person of ['user', 'other', 'admin'] as const) {
    const cookie = decodeURIComponent(sessionOf(scene.browsers[person]))
    const [token = '', signature = ''] = cookie.split('.')
    Object.assign(secrets, { [`session of ${person}`]: token, [`its mark ${person}`]: signature })
  }
  for (const person of ['user', 'other', 'admin']) {
    const account = await scene.store.signIn.account({ email: `${person}@example.com` })
    const hash = account?.passwordHash?.split('$').at(-1) ?? ''
    secrets[`salt and hash of a password of ${person}`] = hash
  }
}

/** Changes and refusals that secrets go into, and requests that fail upstream. */
async function stir() {
  quoteKey(401)
  const added = {
    add_keys: [secret('upstream key given in the console')],
    proxy: `http://person:${secret('password of a proxy given in the console')}@127.0.0.1:9`,
  }
  expect(await note('admin', 'PATCH', `admin/channels/2`, added)).toBe(200)
  const refused = secret('upstream key that is refused')
  expect(await note('admin', 'PATCH', 'admin/channels/2', { add_keys: [refused] })).toBe(400)
  const proxy = `socks5://person:${secret('password of a proxy that is refused')}@127.0.0.1:9`
  expect(await note('admin', 'PATCH', 'admin/channels/2', { proxy })).toBe(400)
  for (const id of [1, 2])
    expect(await note('admin', 'POST', `admin/channels/${id}/test`, {})).toBe(200)
  const given = { email: 'new@example.com', password: secret('password that was given') }
  expect(await note('admin', 'POST', 'admin/accounts', given)).toBe(200)
  expect(await note('user', 'POST', `tokens/${things.tokens}/reveal`, { password: wrong })).toBe(
    403,
  )
  const entry = { email: 'admin@example.com', password: wrong }
  expect(await note('anonymous', 'POST', 'auth/sign-in/email', entry)).toBe(401)
  const change = { current_password: wrong, new_password: given.password }
  expect(await note('user', 'POST', 'auth/password', change)).toBe(403)
  const guess = { ...given, code: secret('guess at the set-up code') }
  expect(await note('anonymous', 'POST', 'setup', guess)).toBe(403)
  const begun = { provider: 'company' }
  expect(await note('anonymous', 'POST', 'auth/sign-in/provider', begun)).toBe(503)
  quoteKey(400)
  for (const model of ['test-model', 'far-model']) {
    const body = { model, messages: [{ role: 'user', content: 'Hello' }] }
    answers.push(await (await scene.app.ask('/v1/chat/completions', body)).text())
  }
  await until('the failures are on record', async () => {
    const { total } = await scene.store.lists.requests({}, { size: 1 })
    return total === 3
  })
}

/** All that people can read, each as the one who may. */
async function readAll() {
  const read: Record<string, string> = {}
  const routes = Object.keys(table).filter(
    (route) => route.startsWith('GET ') && !/live|options|callback/.test(route),
  )
  const { rows } = await scene.store.lists.requests({}, { size: 9 })
  for (const route of routes) {
    const person = route.includes('/admin/') ? 'admin' : 'user'
    const ids = route.includes('requests/{id}') ? rows.map((row) => row.requestId) : ['']
    for (const requests of ids) {
      for (const more of route.endsWith('/export') ? ['?format=csv', '?format=jsonl'] : ['']) {
        const { path } = askedOf(route, requests ? { ...things, requests } : things)
        read[path + more] = await (
          await scene.ask(person, { method: 'GET', path: path + more })
        ).text()
      }
    }
  }
  const pages = ['/docs/json', '/docs', '/status', '/console', '/console/admin', '/api/v1/status']
  const documents = ['/api/v1/settings/public', '/api/v1/model-plaza', '/api/provider/pricing']
  for (const path of [...pages, ...documents, '/api/v1/admin/channels/2'])
    read[path] = await (await scene.ask('admin', { method: 'GET', path })).text()
  return read
}

/** A secret, and what it would be to a program. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3))
  const forms = [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]
  return [...forms, bytes.toString('hex'), whole.toString('base64'), whole.toString('base64url')]
}

test('X7: no secret is in anything that can be read, nor in an answer, an export or the log', async () => {
  await plant()
  await stir()
  const log = scene.app.complaints.join('\n')
  const read: Record<string, string> = { ...(await readAll()), answers: answers.join('\n'), log }
  // It was looked for where there is something to find.
  expect(read['/api/v1/admin/channels']).toContain('"mark"')
  expect(read['/api/v1/admin/config.yaml']).toContain('CHANNEL_FAR_KEY')
  expect(read['/api/v1/admin/audit']).toContain('channel.')
  expect(read.log).toContain('sign-in refused')
  for (const [name, text] of Object.entries(secrets))
    expect([name, text.length > 7]).toEqual([name, true])
  const found = Object.entries(read).flatMap(([where, text]) =>
    Object.entries(secrets)
      .filter(([, one]) => formsOf(one).some((form) => text.includes(form)))
      .map(([name]) => `${name}: ${where}`),
  )
  expect(found).toEqual([])
})
