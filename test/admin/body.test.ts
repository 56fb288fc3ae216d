import { afterAll, describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { createGuard } from '../../src/admin/access.ts'
import { ApiError } from '../../src/admin/api-error.ts'
import { PageQuery } from '../../src/admin/envelope.ts'
import { renderError } from '../../src/admin/errors.ts'
import { createLogger } from '../../src/lib/log.ts'

const lines: string[] = []
const log = createLogger({
  sink: (line) => lines.push(line),
  pretty: false,
  clock: () => 0,
  level: 'warn',
})
const who = {
  accountId: 1,
  email: 'a@b.c',
  role: 'user',
  isVouched: true,
  sessionId: 's',
  signedInAt: 0,
} as const
const guard = createGuard(
  { find: async (request) => (request.headers.has('x-in') ? who : undefined) },
  () => [],
)
const app = new Elysia()
  .onError(({ code, error, request }) => renderError({ code, error, request }, log))
  .use(guard('user'))
  .post('/form', ({ body }) => body, { body: Type.Object({ name: Type.String() }) })
  .get('/list', ({ query }) => query, { query: PageQuery })

const host = 'http://gateway.example'
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  app.handle(
    new Request(`${host}/form`, {
      method: 'POST',
      body,
      headers: { 'x-in': '1', origin: host, host: 'gateway.example', ...headers },
    }),
  )
const json = { 'content-type': 'application/json' }

afterAll(() => expect(lines).toEqual([]))

describe('a body of the console', () => {
  test.each([
    ['is not JSON', '{"name"', json, 400, 'invalid_json'],
    ['is a form', 'name=x', { 'content-type': 'text/plain' }, 415, 'content_type'],
    ['is too large', `{"name":"${'x'.repeat(1_048_576)}"}`, json, 413, 'body_too_large'],
    [
      'comes from elsewhere',
      '{"name":"x"}',
      { ...json, origin: 'http://a.b' },
      403,
      'foreign_origin',
    ],
    ['misses a field', '{}', json, 400, 'invalid_value'],
  ] as const)('that %s is refused for what it is', async (_what, body, headers, status, reason) => {
    const answer = await post(body, headers)
    expect([answer.status, await answer.json()]).toMatchObject([status, { reason }])
  })

  test.each([
    ['', Buffer.from('{"name":"\xff"}', 'latin1'), 'invalid_json'],
    ['', '{"name":{"toString":"x"}}', 'invalid_value'],
    ['', '{"name":[{"valueOf":null,"\\u0074oString":null}]}', 'invalid_value'],
    ['', '{"__proto__":{"name":"x"}}', 'invalid_value'],
    ['', '{"name":"x","__proto__":null}', 'invalid_value'],
  ] as const)('that would be read as what it is not is refused%s', async (_, body, reason) => {
    const answer = await post(typeof body === 'string' ? body : new Uint8Array(body), json)
    expect([answer.status, await answer.json()]).toMatchObject([400, { reason }])
  })

  test('may have any text in it', async () => {
    for (const name of ['toString', '__proto__', '"\\u', '\ud83d\ude00', '\u0000']) {
      const answer = await post(JSON.stringify({ name }), json)
      expect([answer.status, await answer.json()]).toEqual([200, { name }])
    }
  })

  test('comes after who sends it', async () => {
    const request = new Request(`${host}/form`, { method: 'POST', body: '{', headers: json })
    request.headers.set('origin', host)
    request.headers.set('host', 'gateway.example')
    expect((await app.handle(request)).status).toBe(401)
  })
})

test('what is full is not noted as a fault', () => {
  const full = new ApiError('unavailable', 'All places are taken.')
  expect(
    renderError({ code: 'UNKNOWN', error: full, request: new Request(host) }, log).status,
  ).toBe(503)
  expect(lines).toEqual([])
})

test('a page is as large as it is asked to be', async () => {
  const ask = (query: string) =>
    app.handle(new Request(`${host}/list${query}`, { headers: { 'x-in': '1' } }))
  expect(await (await ask('?page_size=7')).json()).toEqual({ page_size: 7 })
  expect((await ask('?page_size=101')).status).toBe(400)
})
