import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { expectError } from './contract/expected.ts'
import { type ContractGateway, keys, startContractGateway } from './contract/gateway.ts'
import { rawCall } from './raw-client.ts'

type Form = 'bearer' | 'x-api-key' | 'x-goog-api-key'

const header = {
  bearer: (key: string) => ['Authorization', `Bearer ${key}`],
  'x-api-key': (key: string) => ['x-api-key', key],
  'x-goog-api-key': (key: string) => ['x-goog-api-key', key],
} as const satisfies Record<Form, (key: string) => readonly [string, string]>

const contents = JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] })
const chat = JSON.stringify({ model: 'test-model', messages: [{ role: 'user', content: 'hi' }] })
const message = JSON.stringify({ ...(JSON.parse(chat) as object), max_tokens: 9 })

/** CONTRACT 1.1: whose header comes first, by path. */
const onV1: readonly Form[] = ['bearer', 'x-api-key', 'x-goog-api-key']
const onBeta: readonly Form[] = ['x-goog-api-key', 'bearer', 'x-api-key']
const paths = [
  { path: '/v1/chat/completions', body: chat, order: onV1, shape: 'plain' },
  { path: '/v1/messages', body: message, order: onV1, shape: 'plain' },
  { path: '/v1/models', order: onV1, shape: 'plain' },
  { path: '/v1/models/test-model:generateContent', body: contents, order: onV1, shape: 'gemini' },
  { path: '/v1beta/models', order: onBeta, shape: 'gemini' },
  {
    path: '/v1beta/models/test-model:generateContent',
    body: contents,
    order: onBeta,
    shape: 'gemini',
  },
] as const

let gateway: ContractGateway
let withQuery: ContractGateway
beforeAll(async () => {
  const both = [startContractGateway(), startContractGateway({ gemini_query_key: true })] as const
  ;[gateway, withQuery] = await Promise.all(both)
})
afterAll(async () => {
  await Promise.all([gateway[Symbol.asyncDispose](), withQuery[Symbol.asyncDispose]()])
})

interface Call {
  readonly path: string
  readonly body?: string
}

function ask(to: ContractGateway, { path, body }: Call, headers: (readonly [string, string])[]) {
  const method = body === undefined ? 'GET' : 'POST'
  const rest = body === undefined ? {} : { body }
  return rawCall(to.tollgate.port, { method, path, headers, ...rest })
}

describe.each(paths)('$path', (call) => {
  const pairs = call.order.flatMap((one) =>
    call.order.filter((other) => other !== one).map((other) => [one, other] as const),
  )

  test.each(pairs)('%s before %s: the first in order decides, not on the wire', async (a, b) => {
    const first = call.order.find((form) => form === a || form === b)
    for (const good of [a, b]) {
      const keyOf = (form: Form) => (form === good ? keys.good : keys.unknown)
      const answer = await ask(gateway, call, [header[a](keyOf(a)), header[b](keyOf(b))])
      if (good === first) expect(answer.status).toBe(200)
      else expectError(answer, 'openai', call.shape, { status: 401, reason: 'unknown' })
    }
  })

  const unusable: readonly (readonly [string, string])[] = [
    ['Authorization', keys.unknown],
    ['Authorization', `Basic ${btoa(`user:${keys.unknown}`)}`],
    ['Authorization', 'Bearer'],
    ['Authorization', ''],
    ['x-api-key', ''],
    ['x-goog-api-key', ' '],
  ]
  test.each(unusable)('%s: %s is passed over for one with a usable form', async (name, value) => {
    for (const form of call.order) {
      const [usable, key] = header[form](keys.good)
      if (usable.toLowerCase() === name.toLowerCase()) continue
      const headers: (readonly [string, string])[] = [
        [name, value],
        [usable, key],
      ]
      expect((await ask(gateway, call, headers)).status).toBe(200)
      expect((await ask(gateway, call, headers.reverse())).status).toBe(200)
    }
  })

  test.each(['BEARER ', 'bEaReR ', 'Bearer  ', 'Bearer\t'])(
    'the scheme word as %p',
    async (word) => {
      const answer = await ask(gateway, call, [['Authorization', `${word}${keys.good}`]])
      expect(answer.status).toBe(200)
    },
  )
})

describe('a key in the query', () => {
  const cases = paths.map((call) => [call.path, call] as const)
  const asked = ({ path, body }: Call, key: string) => ({
    path: `${path}?alt=json&key=${key}`,
    ...(body === undefined ? {} : { body }),
  })

  test.each(cases)('%s is a missing key', async (_path, call) => {
    const answer = await ask(gateway, asked(call, keys.good), [])
    expectError(answer, 'openai', call.shape, { status: 401, reason: 'missing' })
  })

  test.each(cases)('%s with gemini_query_key: on /v1beta only', async (path, call) => {
    const answer = await ask(withQuery, asked(call, keys.good), [])
    if (path.startsWith('/v1beta/')) expect(answer.status).toBe(200)
    else expectError(answer, 'openai', call.shape, { status: 401, reason: 'missing' })
  })

  test('is weaker than any header, and checked as one', async () => {
    const call = { path: '/v1beta/models' }
    for (const form of onBeta) {
      const unknown = await ask(withQuery, asked(call, keys.good), [header[form](keys.unknown)])
      expectError(unknown, 'gemini', 'gemini', { status: 401, reason: 'unknown' })
      const good = await ask(withQuery, asked(call, keys.unknown), [header[form](keys.good)])
      expect(good.status).toBe(200)
    }
    const poor = await ask(withQuery, asked(call, keys.poor), [])
    expectError(poor, 'gemini', 'gemini', { status: 401, reason: 'balance' })
    const empty = await ask(withQuery, asked(call, ''), [])
    expectError(empty, 'gemini', 'gemini', { status: 401, reason: 'missing' })
  })

  test('goes neither to the upstream nor into the log', async () => {
    await ask(withQuery, asked(paths[5], keys.good), [])
    const seen = withQuery.upstream.last()
    expect(seen.path).toBe('/v1beta/models/test-model:generateContent')
    expect(JSON.stringify([...seen.headers])).not.toContain(keys.good)
    expect(withQuery.tollgate.stdout.join('\n')).not.toContain(keys.good)
  })
})

test('a key never goes to the upstream in any header', async () => {
  gateway.upstream.clear()
  for (const call of paths)
    for (const form of call.order) await ask(gateway, call, [header[form](keys.good)])
  expect(gateway.upstream.requests.length).toBe(12)
  for (const { headers } of gateway.upstream.requests)
    expect(JSON.stringify([...headers])).not.toContain(keys.good)
})
