import { afterAll, expect, test } from 'bun:test'
import { startRequestScene } from '../requests/request-scene.ts'

const scene = await startRequestScene()
afterAll(scene.stop)

await (await scene.chat()).text()
scene.upstream.handle(() => new Response('broken', { status: 500 }))
await (await scene.chat('other-model')).text()
await scene.tollgate.settled()

async function list(query = '') {
  const { status, data } = await scene.ask('admin', 'GET', `/api/v1/admin/attempts?${query}`)
  expect(status).toBe(200)
  return data.items as Record<string, unknown>[]
}

test('attempts are listed newest first, with what they were made for', async () => {
  expect(await list()).toMatchObject([
    { model: 'other-model', channel: 'main', status: 500, cause: 'upstream_failed', position: 0 },
    { model: 'test-model', channel: 'main', status: 200, cause: null, account: 'user@example.com' },
  ])
})

test.each([
  ['cause=upstream_failed', ['other-model']],
  ['outcome=succeeded', ['test-model']],
  ['outcome=failed', ['other-model']],
  ['channel=main', ['other-model', 'test-model']],
  ['channel=none', []],
  ['since=2100-01-01', []],
] as const)('attempts are filtered by %s', async (query, models) => {
  expect((await list(query)).map(({ model }) => model)).toEqual([...models])
})

test('attempts are for administrators', async () => {
  for (const [person, status] of [
    [null, 401],
    ['user', 403],
  ] as const) {
    expect((await scene.send(person, 'GET', '/api/v1/admin/attempts')).status).toBe(status)
  }
  const refused = await scene.ask('admin', 'GET', '/api/v1/admin/attempts?since=soon')
  expect([refused.status, refused.field]).toEqual([400, 'since'])
})
