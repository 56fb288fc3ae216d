import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { expectError, expectHeaders, expectPageNotFound } from './contract/expected.ts'
import { type ContractGateway, keys, startContractGateway } from './contract/gateway.ts'
import { type RawCall, rawCall } from './raw-client.ts'

let gateway: ContractGateway
beforeAll(async () => {
  gateway = await startContractGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const ask = (call: RawCall) => rawCall(gateway.tollgate.port, call)
const key = ['authorization', `Bearer ${keys.good}`] as const

/** SPEC 4.1, 4.2, 7.3 and CONTRACT 2.3: what does not exist, each with these methods. */
const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const but = (...known: readonly string[]) => everyMethod.filter((method) => !known.includes(method))

const notFound: Readonly<Record<string, readonly string[]>> = {
  '/': but('GET', 'HEAD'),
  '/chat/completions': everyMethod,
  '/responses': everyMethod,
  '/messages': everyMethod,
  '/models': everyMethod,
  '/embeddings': everyMethod,
  '/v1': everyMethod,
  '/v1/': everyMethod,
  '/v1/v1/chat/completions': everyMethod,
  '/v1/v1/messages': everyMethod,
  '/v1/v1/models': everyMethod,
  '/v1/chat': everyMethod,
  '/v1/chat/completion': everyMethod,
  '/V1/chat/completions': everyMethod,
  '/v1//chat/completions': everyMethod,
  '//v1/models': everyMethod,
  '/v1/chat/completions/': everyMethod,
  '/v1/messages/': everyMethod,
  '/v1/models/': everyMethod,
  '/v1/responses/': everyMethod,
  '/v1beta': everyMethod,
  '/v1beta/models/': everyMethod,
  '/v1beta/chat/completions': everyMethod,
  '/v1beta1/models': everyMethod,
  '/v2/models': everyMethod,
  '/v1/complete': everyMethod,
  '/api': everyMethod,
  '/api/v1/models': everyMethod,
  '/favicon.ico': but('GET', 'HEAD'),
  '/%76%31/models': everyMethod,
  '/v1/%6dodels': everyMethod,
  '/v1/chat/completions': but('POST'),
  '/v1/responses': but('POST'),
  '/v1/responses/resp_1': but('GET', 'HEAD', 'DELETE'),
  '/v1/messages': but('POST'),
  '/v1/messages?beta=true': but('POST'),
  '/v1/messages/count_tokens': but('POST'),
  '/v1/completions': but('POST'),
  '/v1/embeddings': but('POST'),
  '/v1/images/generations': but('POST'),
  '/v1/images/edits': but('POST'),
  '/v1/models': but('GET', 'HEAD'),
  '/v1/models/test-model': but('GET', 'HEAD'),
  '/v1beta/models': but('GET', 'HEAD'),
  '/v1beta/models/test-model': but('GET', 'HEAD'),
  '/v1beta/models/test-model:generateContent': but('POST'),
  '/v1beta/models/test-model:streamGenerateContent?alt=sse': but('POST'),
  '/v1beta/models/vendor/slashed:countTokens': but('POST'),
  '/v1/models/test-model:embedContent': but('POST'),
  '/v1/models/test-model:batchEmbedContents': but('POST'),
  '/v1beta/models/:generateContent': everyMethod,
  '/v1/usage': but('GET', 'HEAD'),
  '/v1/receipts': everyMethod,
  '/v1/receipts/': everyMethod,
  '/v1/receipts/req_1': but('GET', 'HEAD'),
  '/api/hello': but('GET', 'HEAD'),
}

describe.each(Object.entries(notFound))('%s', (path, methods) => {
  test.each(methods)('%s is no page, with or without a key', async (method) => {
    for (const host of ['gw', `127.0.0.1:${gateway.tollgate.port}`])
      for (const headers of [[], [key], [['authorization', 'Bearer sk-nobody']] as const])
        expectPageNotFound(await ask({ method, path, host, headers }), method)
    // No body is read: it is neither missed nor looked at.
    expectPageNotFound(await ask({ method, path, headers: [key], body: '{' }), method)
  })
})

test('a body that was announced to a path that is no page is not waited for', async () => {
  const headers = [['content-length', '60000000']] as const
  expectPageNotFound(await ask({ method: 'POST', path: '/chat/completions', headers }), 'POST')
})

describe('HEAD', () => {
  test.each(['/v1/models', '/v1/models/test-model', '/v1beta/models', '/v1/usage'])(
    '%s answers as GET does, without the body',
    async (path) => {
      const get = await ask({ path, headers: [key] })
      const head = await ask({ method: 'HEAD', path, headers: [key] })
      expect(head.status).toBe(200)
      expect(head.body).toBe('')
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.body)))
      expectHeaders(head)
      const refused = await ask({ method: 'HEAD', path })
      expect(refused.status).toBe(401)
      expect(refused.headers.get('x-tollgate-reason')).toBe('missing')
    },
  )

  test('/api/hello is a cheap 200 without a key', async () => {
    for (const method of ['HEAD', 'GET']) {
      const answer = await ask({ method, path: '/api/hello' })
      expect([answer.status, answer.body]).toEqual([200, ''])
    }
  })
})

describe('an action that Gemini does not have', () => {
  const actions = ['predict', 'generatecontent', 'constructor', 'toString', '__proto__', 'x y']
  test.each(actions)(':%s', async (action) => {
    const expected = {
      status: 404,
      reason: 'unsupported_action',
      code: 'unsupported_action',
      says: /^Unsupported action$/,
    }
    for (const prefix of ['/v1beta', '/v1']) {
      const path = `${prefix}/models/test-model:${encodeURIComponent(action)}`
      const answer = await ask({ method: 'POST', path, headers: [key], body: '{' })
      expectError(answer, 'gemini', 'gemini', expected)
    }
  })
})

describe('a model id with signs of its own', () => {
  const contents = JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] })
  const written = [
    ['vendor/slashed', 'vendor/slashed'],
    ['vendor/slashed', 'vendor%2Fslashed'],
    ['vendor/slashed', 'vendor%2fslashed'],
    ['family:tag', 'family:tag'],
    ['family:tag', 'family%3Atag'],
    ['test-model', '%74est-model'],
  ] as const
  test.each(written)('%s written as %s', async (model, path) => {
    for (const prefix of ['/v1', '/v1beta']) {
      const one = await ask({ path: `${prefix}/models/${path}`, headers: [key] })
      expect(one.status).toBe(200)
      const shown = JSON.parse(one.body) as { id?: string; name?: string }
      expect(prefix === '/v1' ? shown.id : shown.name).toBe(
        prefix === '/v1' ? model : `models/${model}`,
      )
      for (const action of ['generateContent', 'streamGenerateContent', 'countTokens']) {
        const call = { method: 'POST', path: `${prefix}/models/${path}:${action}`, body: contents }
        expect((await ask({ ...call, headers: [key] })).status).toBe(200)
        expect(gateway.upstream.last().path).toBe(
          `/v1beta/models/${encodeURIComponent(model).replace('%2F', '/').replace('%3A', ':')}:${action}`,
        )
      }
    }
  })
})

describe('a short host', () => {
  test.each(['gw', 'a', 'gw:80', '127.0.0.1', '[::1]:80', 'a.very.long.host.name.example.com'])(
    'Host: %s',
    async (host) => {
      expect((await ask({ path: '/v1/models', host, headers: [key] })).status).toBe(200)
      const path = '/v1beta/models/vendor/slashed:generateContent'
      const body = JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] })
      const answer = await ask({ method: 'POST', path, host, headers: [key], body })
      expect(answer.status).toBe(200)
      expectPageNotFound(await ask({ path: '/chat/completions', host }), 'GET')
    },
  )
})
