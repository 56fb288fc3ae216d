import { afterAll, beforeAll, describe, test } from 'bun:test'
import { endpoints } from './contract/endpoints.ts'
import { type Expected, expectError } from './contract/expected.ts'
import { type ContractGateway, keys, startContractGateway } from './contract/gateway.ts'
import { openRaw, rawCall, requestHead } from './raw-client.ts'

let gateway: ContractGateway
beforeAll(async () => {
  gateway = await startContractGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** CONTRACT 1.3: who is not let in, and whose body is therefore not read. */
const shut: readonly (readonly [string, string | undefined, Expected])[] = [
  ['no key', undefined, { status: 401, reason: 'missing' }],
  ['an unknown key', keys.unknown, { status: 401, reason: 'unknown' }],
  ['a deleted key', keys.deleted, { status: 401, reason: 'deleted' }],
  [
    'a disabled account',
    keys.blocked,
    { status: 403, reason: 'account_restricted', code: 'account_restricted' },
  ],
  [
    'a key for other addresses',
    keys.elsewhere,
    { status: 403, reason: 'ip_not_allowed', code: 'ip_not_allowed' },
  ],
  ['an expired key', keys.expired, { status: 401, reason: 'expired' }],
  ['a used-up balance', keys.poor, { status: 401, reason: 'balance' }],
]

const posts = Object.entries(endpoints).filter(([, { method }]) => method === 'POST')
const announced = 60_000_000

/** The head of a request whose body does not follow. */
function headOnly(
  path: string,
  key: string | undefined,
  more: readonly (readonly [string, string])[],
) {
  const headers = key === undefined ? more : [['x-api-key', key] as const, ...more]
  return requestHead({ method: 'POST', path, headers })
}

describe.each(posts)('%s', (_name, endpoint) => {
  const { shape, keyShape } = endpoint
  const path = endpoint.path('test-model')

  test.concurrent.each(shut)(
    '%s is answered before a broken body is looked at',
    async (_who, key, expected) => {
      const headers = key === undefined ? [] : [['x-api-key', key] as const]
      const bodies = ['', '{', 'not JSON', '[]', '{"model":1}', '\u0000']
      // An unknown key waits for its answer: all bodies at once.
      const answers = bodies.map((body) =>
        rawCall(gateway.tollgate.port, { method: 'POST', path, headers, body }),
      )
      for (const answer of await Promise.all(answers))
        expectError(answer, shape, keyShape, expected)
    },
  )

  test.concurrent.each(shut)(
    '%s is answered while the body is still to come',
    async (_who, key, expected) => {
      const bodies = [
        [['content-length', String(announced)]],
        [['transfer-encoding', 'chunked']],
        [['content-length', '2147483648']],
      ] as const
      // Each answer waits a moment for the body.
      const answers = bodies.map(async (more) => {
        using connection = await openRaw(gateway.tollgate.port)
        connection.socket.write(headOnly(path, key, more))
        return await connection.answer('POST')
      })
      for (const answer of await Promise.all(answers))
        expectError(answer, shape, keyShape, expected)
    },
  )
})
