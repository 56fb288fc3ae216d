import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Channel } from '../../src/catalog/catalog.ts'
import { storedCall } from '../../src/gateway/serve/stored-responses.ts'
import { people, startConsoleScene } from '../support/console-scene.ts'
import { jsonAnswer } from '../support/fake-upstream.ts'

// What vendors keep of the answers that were made through the group `staff`.

const scene = await startConsoleScene({ moreGroups: [{ name: 'staff', channels: ['main'] }] })
afterAll(scene.stop)

const kept = 'resp_of_the_user'
let key = ''
let staff = 0

beforeAll(async () => {
  scene.upstream.handle(() =>
    jsonAnswer({
      ...{ id: kept, object: 'response', status: 'completed', output: [] },
      usage: { input_tokens: 10, output_tokens: 5 },
    }),
  )
  const made = await scene.ask('user', 'POST', '/api/v1/tokens', { group: 'staff' })
  key = String(made.data.key)
  const { data } = await scene.ask('admin', 'GET', '/api/v1/admin/groups')
  staff =
    (data.items as { id: number; name: string }[]).find(({ name }) => name === 'staff')?.id ?? 0
  const asked = { model: 'test-model', input: 'Hello.' }
  expect((await call('POST', '/v1/responses', asked)).status).toBe(200)
})

const call = async (method: string, path: string, body?: object) => {
  const answer = await scene.tollgate.app.handle(
    new Request(`http://gateway.example${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  return { status: answer.status, reason: answer.headers.get('x-tollgate-reason') }
}

const change = async (changes: object) => {
  const path = `/api/v1/admin/groups/${staff}`
  expect((await scene.ask('admin', 'PATCH', path, changes)).status).toBe(200)
}

describe('nothing that is kept is read or deleted', () => {
  test.each([
    ['through a group that is not open to the account any more', { accounts: [people.other] }],
    ['through a group that is switched off', { status: 'disabled' }],
  ])('%s', async (_, changes) => {
    const asked = scene.upstream.requests.length
    await change(changes)
    for (const method of ['GET', 'DELETE']) {
      for (const id of [kept, 'resp_of_nobody']) {
        expect(await call(method, `/v1/responses/${id}`)).toEqual({
          ...{ status: 403, reason: 'group_disabled' },
        })
      }
    }
    expect(scene.upstream.requests).toHaveLength(asked)
    await change({ accounts: null, status: 'active' })
    expect((await call('GET', `/v1/responses/${kept}`)).status).toBe(200)
  })
})

describe('a channel is asked', () => {
  const channel = {
    ...{ name: 'main', keys: ['sk-first', 'sk-second'] },
    speaks: { responses: 'https://api.example.com/v1' },
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
  } as unknown as Channel

  test.each([
    ['with the key that the answer was made with', 'sk-second', 'sk-second'],
    ['with its first one, where that is gone', 'sk-gone', 'sk-first'],
    ['with its first one, where that is not known', undefined, 'sk-first'],
  ])('%s', (_, made, sent) => {
    const { signal } = new AbortController()
    const { headers } = storedCall({ channel, key: made, id: kept, method: 'GET', signal })
    expect(new Headers(headers).get('authorization')).toBe(`Bearer ${sent}`)
  })
})
