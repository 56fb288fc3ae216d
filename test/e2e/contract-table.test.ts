import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { upstreamKey } from '../support/tollgate-yaml.ts'
import { type Endpoint, endpoints, type Shape } from './contract/endpoints.ts'
import { type Expected, expectError, expectHeaders } from './contract/expected.ts'
import { type ContractGateway, keys, startContractGateway } from './contract/gateway.ts'
import { type RawAnswer, rawCall } from './raw-client.ts'

let gateway: ContractGateway
const answers: RawAnswer[] = []
beforeAll(async () => {
  gateway = await startContractGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

type Header = readonly [string, string]

async function ask(endpoint: Endpoint, headers: readonly Header[], model: string, body?: string) {
  const answer = await rawCall(gateway.tollgate.port, {
    method: endpoint.method,
    path: endpoint.path(model),
    headers: [...headers, ...(endpoint.headers ?? [])],
    ...(endpoint.body && { body: body ?? JSON.stringify(endpoint.body(model)) }),
  })
  answers.push(answer)
  return answer
}

/** SPEC 5.2: every form in which a key may come. */
const forms: Readonly<Record<string, (key: string) => Header>> = {
  Bearer: (key) => ['Authorization', `Bearer ${key}`],
  bearer: (key) => ['authorization', `bearer ${key}`],
  'x-api-key': (key) => ['x-api-key', key],
  'x-goog-api-key': (key) => ['X-Goog-Api-Key', key],
}

/** Whose shape an error has: on the shared /v1/models the reader's, told by its headers. */
function shapeOf(endpoint: Endpoint, form: string): Shape {
  return endpoint.shared && form === 'x-goog-api-key' ? 'gemini' : endpoint.shape
}

const rows = Object.entries(endpoints)

describe.each(rows)('%s', (_name, endpoint) => {
  test.concurrent.each(Object.entries(forms))(
    'a good key as %s is let in',
    async (_form, header) => {
      const answer = await ask(endpoint, [header(keys.good)], 'test-model')
      expect(answer.status).toBe(endpoint.goodStatus ?? 200)
      expectHeaders(answer)
      const id = answer.headers.get('request-id')
      expect(id).toBe(endpoint.shape === 'messages' ? answer.headers.get('x-request-id') : null)
      expect(answer.headers.get('content-type')).toMatch(/^(application\/json|text\/event-stream)/)
    },
  )

  /** SPEC 7.1: nothing that could be a key, whatever else is there. */
  const keyless: Readonly<Record<string, readonly Header[]>> = {
    'no header': [],
    'Authorization without Bearer': [['Authorization', keys.good]],
    'Authorization: Basic': [['Authorization', `Basic ${btoa(`user:${keys.good}`)}`]],
    'Authorization: empty': [['Authorization', '']],
    'Authorization: Bearer and nothing': [['Authorization', 'Bearer ']],
    'Authorization: Bearer and two words': [['Authorization', `Bearer ${keys.good} x`]],
    'x-api-key: empty': [['x-api-key', '']],
    'x-goog-api-key: empty': [['x-goog-api-key', '']],
    'a misspelled header': [['x-apikey', keys.good]],
    'a cookie': [['Cookie', `key=${keys.good}`]],
  }
  test.concurrent.each(Object.entries(keyless))('%s is a missing key', async (_form, headers) => {
    const answer = await ask(endpoint, headers, 'test-model')
    expectError(answer, endpoint.shape, endpoint.keyShape, { status: 401, reason: 'missing' })
  })

  const onKeys: Readonly<Record<string, readonly [string, Expected]>> = {
    unknown: [keys.unknown, { status: 401, reason: 'unknown' }],
    'of another platform': ['AIzaSyA-0123456789', { status: 401, reason: 'unknown' }],
    deleted: [keys.deleted, { status: 401, reason: 'deleted' }],
    "of a deleted account's": [keys.orphan, { status: 401, reason: 'deleted' }],
    disabled: [keys.disabled, { status: 401, reason: 'disabled' }],
    expired: [keys.expired, { status: 401, reason: 'expired' }],
    'of a disabled account': [
      keys.blocked,
      { status: 403, reason: 'account_restricted', code: 'account_restricted', says: /disabled/ },
    ],
    'not for this address': [
      keys.elsewhere,
      { status: 403, reason: 'ip_not_allowed', code: 'ip_not_allowed', says: /127\.0\.0\.1/ },
    ],
  }
  test.concurrent.each(Object.entries(onKeys))(
    'a key that is %s',
    async (_cause, [key, expected]) => {
      const asked = Object.entries(forms).map(
        async ([form, header]) => [form, await ask(endpoint, [header(key)], 'test-model')] as const,
      )
      // An unknown key waits for its answer: all forms at once.
      for (const [form, answer] of await Promise.all(asked))
        expectError(answer, shapeOf(endpoint, form), endpoint.keyShape, expected)
    },
  )

  test.concurrent('a used-up balance', async () => {
    for (const [form, header] of Object.entries(forms)) {
      const answer = await ask(endpoint, [header(keys.poor)], 'test-model')
      if (endpoint.freeOfBalance) expect(answer.status).toBe(endpoint.goodStatus ?? 200)
      else {
        const expected = { status: 401, reason: 'balance' }
        expectError(answer, shapeOf(endpoint, form), endpoint.keyShape, expected)
      }
    }
  })
})

const withModel = rows.filter(([, endpoint]) => endpoint.asksModel)
const badModel = (reason: string, status: number, says: RegExp): Expected => ({
  status,
  reason,
  code: reason,
  says,
  param: 'model',
})

/** What a key may not ask for: [key, model, expected]; the model may depend on the protocol. */
const onModels: Readonly<
  Record<string, readonly [string, (endpoint: Endpoint) => string, Expected]>
> = {
  'a model that the key may not use': [
    keys.restricted,
    () => 'test-model',
    badModel('model_not_allowed', 403, /"test-model"/),
  ],
  'a group that is switched off': [
    keys.groupOff,
    () => 'test-model',
    { status: 403, reason: 'group_disabled', code: 'group_disabled', says: /"off"/ },
  ],
  'a model that does not exist': [
    keys.good,
    () => 'nowhere',
    badModel('model_not_found', 404, /"default".*"nowhere"/),
  ],
  'a model that only its channel has, not its group': [
    keys.good,
    () => 'unlisted',
    badModel('model_not_found', 404, /"unlisted"/),
  ],
  'a model without a price': [
    keys.good,
    () => 'unpriced',
    badModel('model_not_found', 404, /"unpriced"/),
  ],
  'a model in other letters': [
    keys.good,
    () => 'Test-Model',
    badModel('model_not_found', 404, /"Test-Model"/),
  ],
}

const onOtherProtocols = withModel.filter(([, { foreignModel }]) => foreignModel !== undefined)

test.each(onOtherProtocols)(
  '%s > a model that only speaks another protocol',
  async (_, endpoint) => {
    for (const header of Object.values(forms)) {
      const answer = await ask(endpoint, [header(keys.good)], endpoint.foreignModel ?? '')
      if (endpoint.isTranslated) expect(answer.status).toBe(200)
      else {
        const refused = badModel('unsupported_parameter', 400, /Ask for it by/)
        expectError(answer, endpoint.shape, endpoint.keyShape, refused)
      }
    }
  },
)

describe.each(withModel)('%s', (_name, endpoint) => {
  test.each(Object.entries(onModels))('%s', async (_cause, [key, modelOf, expected]) => {
    for (const header of Object.values(forms)) {
      const answer = await ask(endpoint, [header(key)], modelOf(endpoint))
      expectError(answer, endpoint.shape, endpoint.keyShape, expected)
    }
  })

  /** CONTRACT 1.3: each key has all later faults, too, and the body is broken or names no model. */
  const inOrder: readonly (readonly [string, string | undefined, Expected])[] = [
    [keys.allDisabled, '{', { status: 401, reason: 'disabled' }],
    [
      keys.allBlocked,
      '{',
      { status: 403, reason: 'account_restricted', code: 'account_restricted' },
    ],
    [keys.allElsewhere, '{', { status: 403, reason: 'ip_not_allowed', code: 'ip_not_allowed' }],
    [keys.allExpired, '{', { status: 401, reason: 'expired' }],
    [keys.allPoor, '{', { status: 401, reason: 'balance' }],
    [keys.allRestricted, '{', { status: 400, reason: 'invalid_json', code: 'invalid_json' }],
    [keys.allRestricted, undefined, badModel('model_not_allowed', 403, /"nowhere"/)],
    [keys.groupOff, undefined, { status: 403, reason: 'group_disabled', code: 'group_disabled' }],
    [keys.good, undefined, badModel('model_not_found', 404, /"nowhere"/)],
  ]
  test('of several faults the first in order is told', async () => {
    for (const [key, body, expected] of inOrder) {
      const answer = await ask(endpoint, [['x-api-key', key]], 'nowhere', body)
      expectError(answer, endpoint.shape, endpoint.keyShape, expected)
    }
  })
})

describe('one model', () => {
  const paths: readonly (readonly [string, Shape, readonly Header[]])[] = [
    ['/v1/models/nowhere', 'openai', []],
    ['/v1/models/nowhere', 'messages', [['anthropic-version', '2023-06-01']]],
    ['/v1/models/unpriced', 'openai', []],
    ['/v1beta/models/nowhere', 'gemini', []],
  ]
  test.each(paths)('%s that is not there, for a reader of %s', async (path, shape, headers) => {
    const answer = await rawCall(gateway.tollgate.port, {
      path,
      headers: [['authorization', `Bearer ${keys.good}`], ...headers],
    })
    const expected = badModel('model_not_found', 404, /GET \/v1\/models/)
    expectError(answer, shape, 'plain', expected)
  })
})

test('no answer and no line of the log has a key, or the upstream, in it', () => {
  expect(answers.length).toBeGreaterThan(1000)
  const shown = answers.map(({ headers, body }) => JSON.stringify([...headers]) + body).join('\n')
  const host = new URL(gateway.upstream.url).host
  for (const secret of [upstreamKey, host, 'vendor-', ...Object.values(keys)])
    expect(shown).not.toContain(secret)
  const log = [...gateway.tollgate.stdout, ...gateway.tollgate.stderr].join('\n')
  expect(log).not.toContain('"level":"error"')
  for (const secret of [upstreamKey, ...Object.values(keys)]) expect(log).not.toContain(secret)
})
