import { afterAll, describe, expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { jsonAnswer } from '../support/fake-upstream.ts'
import { freePort } from '../support/free-port.ts'
import { speaksAt, testKey } from '../support/tollgate-yaml.ts'
import { askedOf, makeThings } from './security/routes.ts'
import { startSecurityScene } from './security/scene.ts'

/** Names that are nowhere else. */
const names = { main: 'quokka-channel-7301', closed: 'wombat-channel-7302' }
const anyName = /quokka|wombat/i

const closed = `http://127.0.0.1:${await freePort()}`
const scene = await startSecurityScene({
  channel: { name: names.main },
  moreChannels: [
    {
      ...{ name: names.closed, speaks: speaksAt(closed), api_key: 'another-upstream-key' },
      ...{ models: ['away-model'], allow_private: true },
    },
  ],
  group: { channels: [names.main, names.closed] },
  prices: { 'away-model': { input: 1, output: 2 } },
})
afterAll(scene.stop)

/** What was sent: the status line, all headers, and the body. */
const whole = async (response: Response) =>
  JSON.stringify([response.status, [...response.headers], await response.text()])

/** Ways in which an upstream fails. */
const failures = {
  'refuses the key': () => jsonAnswer({ error: { message: 'bad key' } }, 401),
  'has no quota': () =>
    jsonAnswer({ error: { message: 'no quota', code: 'insufficient_quota' } }, 429),
  fails: () => jsonAnswer({ error: { message: 'broken' } }, 500),
  'refuses the request': () => jsonAnswer({ error: { message: 'bad field' } }, 400),
  'answers with no JSON': () =>
    new Response('<html>', { headers: { 'content-type': 'text/html' } }),
}

describe('a failing model request names no channel', () => {
  for (const [name, { path, request }] of Object.entries(dialects)) {
    for (const [how, fail] of Object.entries(failures)) {
      test(`where the upstream ${how}, in ${name}`, async () => {
        scene.upstream.handle(fail)
        const response = await scene.app.ask(path(false), request(false))
        expect(response.status).toBeGreaterThanOrEqual(400)
        expect(await whole(response)).not.toMatch(anyName)
      })
    }
    test(`where nobody listens, in ${name}`, async () => {
      const body = { ...request(false), model: 'away-model' }
      const address = path(false).replace('test-model', 'away-model')
      const response = await scene.app.ask(address, body)
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(await whole(response)).not.toMatch(anyName)
    })
  }
})

/** What users can read: each GET of the documented API, the pages of the site, and what failed. */
async function readable() {
  const things = await makeThings(scene)
  const docs = await (await scene.ask('anonymous', { method: 'GET', path: '/docs/json' })).json()
  const { paths } = docs as { paths: Record<string, object> }
  const routes = Object.entries(paths)
    .filter(([path, methods]) => 'get' in methods && !path.startsWith('/api/v1/admin/'))
    .map(([path]) => path)
  const { rows } = await scene.store.lists.requests({}, { size: 100 })
  const failed = rows.filter(({ channel }) => channel !== null).map(({ requestId }) => requestId)

  /** Also the operator's own pages of the site, by both kinds of readers. */
  const pages = [
    '/',
    '/status',
    '/docs',
    '/docs/translation',
    '/models',
    '/sitemap.xml',
    '/llms.txt',
  ]
  const ofRequests = failed.flatMap((id) => [
    ...[`/api/v1/requests/${id}`, `/api/v1/requests/${id}/diagnosis`, `/v1/receipts/${id}`],
  ])
  return {
    rows,
    routes,
    asked: [...routes, ...pages, ...ofRequests].map((path) => askedOf(`GET ${path}`, things)),
  }
}

describe('nothing that a user can read names a channel', () => {
  test('there are requests that were asked of both channels, and routes that show them', async () => {
    const { rows, routes } = await readable()
    expect(new Set(rows.map(({ channel }) => channel))).toContain(names.main)
    expect(new Set(rows.map(({ channel }) => channel))).toContain(names.closed)
    expect(routes).toContain('/api/v1/requests/{id}')
  })

  for (const accept of ['application/json', 'text/plain', 'text/html']) {
    test(`as ${accept}`, async () => {
      for (const asked of (await readable()).asked) {
        const isModelApi = asked.path.startsWith('/v1')
        const key = isModelApi ? { authorization: `Bearer ${testKey}` } : {}
        const response = await scene.ask('user', { ...asked, headers: { accept, ...key } })
        // What is sent without end is not waited for: `test/admin/requests/live.test.ts` reads it.
        if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
          await response.body?.cancel()
          continue
        }
        expect(`${asked.path} ${await whole(response)}`).not.toMatch(anyName)
      }
    })
  }
})
