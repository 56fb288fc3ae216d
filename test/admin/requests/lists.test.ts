import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dialects } from '../../e2e/dialects.ts'
import type { Person } from '../../support/console-scene.ts'
import { jsonAnswer } from '../../support/fake-upstream.ts'
import { upstreamKey } from '../../support/tollgate-yaml.ts'
import { otherKey, startRequestScene } from './request-scene.ts'

const scene = await startRequestScene()
afterAll(scene.stop)

interface Item {
  readonly request_id: string
  readonly account: string
  readonly [name: string]: unknown
}

const asked: string[] = []
beforeAll(async () => {
  for (const [model, key] of [
    ['test-model'],
    ['no-model'],
    ['other-model', otherKey],
    ['other-model'],
  ] as const) {
    const response = await scene.chat(model, key)
    asked.push(response.headers.get('x-request-id') ?? '')
    await response.text()
  }
  await scene.tollgate.settled()
})

async function list(person: Person, query = '', path = '/api/v1/requests') {
  const { status, data } = await scene.ask(person, 'GET', `${path}?${query}`)
  expect(status).toBe(200)
  return data as { items: Item[]; next: string | null; page: number; total: number }
}
const ids = ({ items }: { items: readonly Item[] }) => items.map((item) => item.request_id)
const all = '/api/v1/admin/requests'

describe("a person's requests", () => {
  test('are successes and failures in one list, newest first, and nobody else is in it', async () => {
    expect(ids(await list('user'))).toEqual([asked[3], asked[1], asked[0]] as string[])
    expect(ids(await list('other'))).toEqual([asked[2]] as string[])
    expect(ids(await list('admin'))).toEqual([])
  })

  test('tell what was asked, how it ended and what it cost, exactly', async () => {
    const [item] = (await list('user', `request_id=${asked[0]}`)).items
    expect(item).toMatchObject({
      ...{ account: 'user@example.com', token: 'test', group: 'default', model: 'test-model' },
      ...{ status: 200, cause: null, ending: 'complete', input_tokens: 100, output_tokens: 50 },
      ...{ amount: '0.0002', amount_nano: 200_000, attempts: 1 },
    })
    expect(item).not.toHaveProperty('upstream_model')
  })

  test.each([
    ['outcome=failed', [1]],
    ['outcome=succeeded', [3, 0]],
    ['cause=model_not_found', [1]],
    ['status=404', [1]],
    ['model=other-model', [3]],
    ['group=default', [3, 1, 0]],
    ['group=second', []],
    ['protocol=chat', [3, 1, 0]],
    ['protocol=gemini', []],
    ['since=2100-01-01', []],
    ['until=2100-01-01T00:00:00Z', [3, 1, 0]],
    ['outcome=succeeded&model=test-model', [0]],
  ] as const)('are filtered by %s', async (query, places) => {
    expect(ids(await list('user', query))).toEqual(places.map((place) => asked[place] ?? ''))
  })

  test('come page by page', async () => {
    const first = await list('user', 'page_size=2')
    expect([ids(first).length, first.page, first.total]).toEqual([2, 1, 3])
    const second = await list('user', `page_size=2&cursor=${first.next}`)
    expect([ids(second), second.page, second.next]).toEqual([[asked[0] ?? ''], 2, null])
  })

  test.each([
    ['since=yesterday', 'since'],
    ['status=4xx', 'status'],
    ['outcome=perhaps', 'outcome'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=2.nonsense', 'cursor'],
    ['page_size=many', 'page_size'],
    ['token=none', 'token'],
  ])('are refused for %s, with the name of what is wrong', async (query, field) => {
    const answer = await scene.ask('user', 'GET', `/api/v1/requests?${query}`)
    expect([answer.status, answer.reason, answer.field]).toEqual([400, 'invalid_value', field])
  })

  test("are not others' by any filter", async () => {
    expect(ids(await list('user', 'account=other@example.com'))).not.toContain(asked[2] ?? '')
    expect(ids(await list('user', `request_id=${asked[2]}`))).toEqual([])
  })
})

describe('all requests', () => {
  test('are for administrators, with their account and channel', async () => {
    const found = await list('admin', '', all)
    expect(ids(found)).toEqual([3, 2, 1, 0].map((place) => asked[place] ?? ''))
    expect(found.items[1]).toMatchObject({
      account: 'other@example.com',
      channel: 'main',
      upstream_model: 'other-model',
    })
  })

  test('are filtered by account', async () => {
    expect(ids(await list('admin', 'account=other@example.com', all))).toEqual([asked[2] ?? ''])
    const unknown = await scene.ask('admin', 'GET', `${all}?account=nobody@example.com`)
    expect([unknown.status, unknown.field]).toEqual([400, 'account'])
  })

  test.each([null, 'user', 'other'] as const)('are not for %p', async (person) => {
    for (const path of [all, `${all}/${asked[0]}`, `${all}/export`, `${all}/live`]) {
      expect((await scene.send(person, 'GET', path)).status).toBe(person === null ? 401 : 403)
    }
  })
})

describe('the receipt of a request', () => {
  test('is a bill that can be checked', async () => {
    const { status, data } = await scene.ask('user', 'GET', `/api/v1/requests/${asked[0]}`)
    expect(status).toBe(200)
    expect(data).toMatchObject({
      ...{
        request_id: asked[0],
        amount: '0.0002',
        tier_reason: 'base tier: this price has no other',
      },
      bill: {
        unit: 'tokens',
        lines: [
          { name: 'input', count: 100, price: '1', amount: '0.0001' },
          { name: 'output', count: 50, price: '2', amount: '0.0001' },
        ],
        ...{ sum: '0.0002', multiplier: '1', amount: '0.0002' },
      },
      attempts: [{ status: 200, cause: null }],
      differences: [],
    })
  })

  test("is told from none by nothing when it is another account's", async () => {
    const others = await scene.ask('user', 'GET', `/api/v1/requests/${asked[2]}`)
    const none = await scene.ask('user', 'GET', '/api/v1/requests/none-at-all')
    expect([others.status, none.status]).toEqual([404, 404])
    expect(others.message.replace(asked[2] ?? '', 'none-at-all')).toBe(none.message)
  })

  test('shows an administrator which model the upstream was asked for', async () => {
    const { data } = await scene.ask('admin', 'GET', `${all}/${asked[2]}`)
    expect(data).toMatchObject({ account: 'other@example.com', upstream_model: 'other-model' })
  })

  test('shows nobody the upstream’s key or host, whatever it reports', async () => {
    const { host } = new URL(scene.upstream.url)
    const body = dialects.chat.body({ input: 1, output: 1 })
    const usage = { prompt_tokens: 1, completion_tokens: 1, note: `${upstreamKey} at ${host}` }
    scene.upstream.handle(() => jsonAnswer({ ...body, usage }))
    const response = await scene.chat()
    await response.text()
    await scene.tollgate.settled()
    const id = response.headers.get('x-request-id')
    for (const [person, path] of [
      ['user', '/api/v1/requests'],
      ['admin', all],
    ] as const) {
      const { status, data } = await scene.ask(person, 'GET', `${path}/${id}`)
      expect([status, data.usage_raw]).toMatchObject([200, { note: '[hidden] at [hidden]' }])
      expect(JSON.stringify(data)).not.toContain(upstreamKey)
      expect(JSON.stringify(data)).not.toContain(host)
    }
  })
})
