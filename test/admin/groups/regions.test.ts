import { afterAll, expect, test } from 'bun:test'
import { configOf } from '../../app/serving.ts'
import { dialects } from '../../e2e/dialects.ts'
import { people, startConsoleScene } from '../../support/console-scene.ts'

// Which countries a group or an account serves, as the console knows it.

const scene = await startConsoleScene({ server: { trusted_proxies: ['127.0.0.1'] } })
afterAll(scene.stop)

const base = '/api/v1/admin'
const admin = (method: string, path: string, body?: unknown) =>
  scene.ask('admin', method, base + path, body)

async function idOf(list: string, name: string): Promise<number> {
  const { data } = await admin('GET', list)
  const items = data.items as { id: number; name?: string; email?: string }[]
  return items.find((one) => name === (one.name ?? one.email))?.id ?? 0
}
const group = `/groups/${await idOf('/groups', 'default')}`
const account = `/accounts/${await idOf('/accounts', 'user@example.com')}`
const change = async (path: string, regions: object | null) => {
  const { data } = await admin('GET', path)
  return admin('PATCH', path, { regions, revision: data.revision })
}
const setHeader = async (name: string | null) => {
  const { data } = await admin('GET', '/settings')
  const changes = { 'settings.country_header': name }
  return admin('PATCH', '/settings', { revision: data.revision, changes })
}

test('without a country header nothing can be said; the refusal says what to set', async () => {
  for (const path of [group, account]) {
    expect(await change(path, { allow: ['CN'] })).toMatchObject({
      ...{ status: 400, field: 'regions', fault: 'no_country_header' },
      message: expect.stringContaining('settings.country_header'),
    })
  }
  expect(await setHeader('two words')).toMatchObject({ status: 400 })
  expect(await setHeader('CF-IPCountry')).toMatchObject({ status: 200 })
})

test.each([
  ['a group', group, 'group.set', 'group default'],
  ['an account', account, 'account.set', 'user@example.com'],
])(
  '%s is shown with its countries, changed, and the audit says so',
  async (_, path, action, subject) => {
    expect(await admin('GET', path)).toMatchObject({ data: { regions: null } })
    const set = await change(path, { deny: ['cn', 'RU'] })
    expect(set).toMatchObject({ status: 200, data: { regions: { deny: ['CN', 'RU'] } } })
    const { data } = await admin('GET', '/audit')
    const [entry] = data.items as Record<string, unknown>[]
    expect(entry).toMatchObject({ action, subject, changes: [{ name: 'regions' }] })
    expect(await change(path, { allow: ['UK'] })).toMatchObject({
      ...{ status: 400, field: 'regions.allow.0', fault: 'unfit_country' },
    })
    expect(await change(path, { allow: ['US'], deny: ['CN'] })).toMatchObject({ status: 400 })
    expect(await change(path, { allow: ['US'] })).toMatchObject({
      data: { regions: { allow: ['US'] } },
    })
  },
)

test('it holds at once, is exported, and read again from there', async () => {
  const refused = await scene.chat()
  expect([refused.status, refused.headers.get('x-tollgate-reason')]).toEqual([
    403,
    'region_restricted',
  ])
  const exported = await (await scene.send('admin', 'GET', `${base}/config.yaml`)).text()
  expect(exported).toContain('country_header: CF-IPCountry')
  const config = configOf(exported.replaceAll(/\$\{(\w+)\}/g, 'sk-0123456789-$1'))
  expect(config.groups[0]?.regions).toEqual({ allow: ['US'] })
  const user = config.accounts.find(({ email }) => email === 'user@example.com')
  expect(user?.regions).toEqual({ allow: ['US'] })
  for (const path of [group, account]) {
    expect(await change(path, null)).toMatchObject({ status: 200, data: { regions: null } })
  }
  expect((await scene.chat()).status).toBe(200)
})

test('the playground asks from where its reader is', async () => {
  const { app } = scene.tollgate
  app.listen({ port: 0, hostname: '127.0.0.1', reusePort: false, development: false })
  const address = `http://127.0.0.1:${app.server?.port}`
  await change(group, { allow: ['US'] })
  const [token] = await scene.store.admin.tokens({ account: people.user })
  const from = async (country: string) => {
    const answer = await fetch(`${address}/api/v1/playground/chat?token=${token?.id}`, {
      method: 'POST',
      headers: {
        ...{ 'x-test-person': people.user, origin: address, 'cf-ipcountry': country },
        'content-type': 'application/json',
      },
      body: JSON.stringify(dialects.chat.request(false)),
    })
    return answer.status
  }
  try {
    expect([await from('US'), await from('RU')]).toEqual([200, 403])
  } finally {
    await app.server?.stop(true)
    await change(group, null)
  }
})

test('a group whose countries nothing tells any more warns of it', async () => {
  await change(group, { deny: ['CN'] })
  await setHeader(null)
  const { data } = await admin('GET', group)
  expect(data.warnings).toMatchObject([{ field: 'regions' }])
  // Nobody's country is known now.
  expect((await scene.chat()).status).toBe(200)
  expect(await change(group, null)).toMatchObject({ status: 200 })
})
