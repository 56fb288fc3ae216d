import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { vendorAnswer } from '../e2e/vendor-answers.ts'
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// CONTRACT 2.3: what vendors publish, and this gateway does not offer.

let upstream: FakeUpstream
let gateway: Running
beforeAll(async () => {
  upstream = startFakeUpstream(vendorAnswer)
  gateway = await startServing({ upstream: upstream.url })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream.stop()
})

const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(gateway.serving.url + path, {
    ...{ method, headers, proxy: false },
    ...(method === 'POST' && { body: '{' }),
  })
const bearer = { authorization: `Bearer ${testKey}` }

const shapes = {
  openai: (message: unknown) => ({
    error: { message, type: 'invalid_request_error', param: null, code: 'not_offered' },
  }),
  messages: (message: unknown) => ({
    ...{ type: 'error', error: { type: 'not_found_error', message } },
    request_id: expect.any(String),
  }),
  gemini: (message: unknown) => ({ error: { code: 404, message, status: 'NOT_FOUND' } }),
}

const published: readonly (readonly [keyof typeof shapes, string])[] = [
  ['openai', 'POST /v1/files'],
  ['openai', 'GET /v1/files/file-1/content'],
  ['openai', 'POST /v1/batches'],
  ['openai', 'POST /v1/batches/b_1/cancel'],
  ['openai', 'POST /v1/conversations'],
  ['openai', 'GET /v1/conversations/conv_1/items'],
  ['openai', 'GET /v1/responses/resp_1/input_items'],
  ['openai', 'POST /v1/responses/resp_1/cancel'],
  ['openai', 'POST /v1/audio/transcriptions'],
  ['openai', 'POST /v1/moderations'],
  ['openai', 'POST /v1/fine_tuning/jobs'],
  ['openai', 'DELETE /v1/vector_stores/vs_1/files/file-1'],
  ['openai', 'POST /v1/assistants'],
  ['openai', 'POST /v1/threads'],
  ['openai', 'GET /v1/realtime'],
  ['openai', 'POST /v1/uploads'],
  ['openai', 'GET /v1/evals?limit=1'],
  ['openai', 'GET /v1/containers'],
  ['openai', 'GET /v1/skills'],
  ['openai', 'GET /v1/chat/completions/chatcmpl-1'],
  ['openai', 'POST /v1/images/variations'],
  ['openai', 'POST /v1beta/openai/chat/completions'],
  ['messages', 'POST /v1/messages/batches'],
  ['messages', 'GET /v1/messages/batches/msgbatch_1/results?beta=true'],
  ['messages', 'GET /v1/organizations/me'],
  ['gemini', 'GET /v1beta/files'],
  ['gemini', 'DELETE /v1beta/files/x'],
  ['gemini', 'POST /v1beta/cachedContents'],
  ['gemini', 'PATCH /v1beta/cachedContents/x'],
  ['gemini', 'POST /v1/cachedContents'],
  ['gemini', 'GET /v1beta/tunedModels'],
  ['gemini', 'POST /v1beta/batches/x:cancel'],
  ['gemini', 'POST /upload/v1beta/files'],
]

describe.each(published)('as %s: %s', (shape, endpoint) => {
  const [method = '', path = ''] = endpoint.split(' ')

  test('says with a key that it is not offered, and without one that it is needed', async () => {
    const answer = await ask(method, path, bearer)
    expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([404, 'not_offered'])
    const says = `This gateway does not offer ${method} ${path.split('?')[0]}. What it offers is in /docs.`
    expect(await answer.json()).toEqual(shapes[shape](says))
    for (const headers of [{}, { 'x-api-key': 'sk-nobody' }]) {
      const refused = await ask(method, path, headers)
      expect(refused.status).toBe(401)
      expect(await refused.text()).toMatch(/API.key/)
    }
  })
})

test.each([
  ['GET', '/v1/moderations'],
  ['PUT', '/v1/files'],
  ['OPTIONS', '/v1/files'],
  ['POST', '/v1/files/'],
  ['POST', '/v1/filesystem'],
  ['POST', '/v1/audio'],
  ['GET', '/v1/responses/resp_1/output_items'],
  ['GET', '/v1/responses/resp_1/input_items/x'],
  ['GET', '/v1/messages'],
  ['GET', '/v1/chat/completions'],
  ['DELETE', '/v1/models/test-model'],
  ['POST', '/files'],
  ['POST', '/v1/v1/files'],
  ['POST', '/V1/files'],
  ['POST', '/v2/files'],
  ['POST', '/v1beta/messages/batches'],
  ['POST', '/upload/v3/files'],
])('%s %s stays the plain 404, with a key or without', async (method, path) => {
  for (const headers of [{}, bearer]) {
    const answer = await ask(method, path, headers)
    expect([answer.status, await answer.text()]).toEqual([404, '404 page not found'])
  }
})

describe('its SDK shows the reason', () => {
  const failure = async (asked: () => unknown) => {
    try {
      await asked()
    } catch (error) {
      return error as Error & { status: number }
    }
    throw new Error('It did not fail.')
  }
  const url = () => gateway.serving.url

  test('openai', async () => {
    const client = new OpenAI({ baseURL: `${url()}/v1`, apiKey: testKey, maxRetries: 0 })
    const asked = [() => client.files.list(), () => client.conversations.create({})]
    for (const one of asked) {
      const error = await failure(one)
      expect(error).toBeInstanceOf(OpenAI.NotFoundError)
      expect(error.message).toContain('does not offer')
    }
  })

  test('anthropic, of what both have, too', async () => {
    const client = new Anthropic({ baseURL: url(), apiKey: testKey, maxRetries: 0 })
    const asked = [() => client.messages.batches.list(), () => client.beta.files.list()]
    for (const one of asked) {
      const error = await failure(one)
      expect(error).toBeInstanceOf(Anthropic.NotFoundError)
      expect(error.message).toContain('does not offer')
    }
  })

  test('google', async () => {
    const client = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: url() } })
    const asked = [
      () => client.files.list(),
      () => client.caches.create({ model: 'test-model', config: { contents: 'a' } }),
      () => client.batches.list(),
    ]
    for (const one of asked) {
      const error = await failure(one)
      expect([error.status, error.message]).toEqual([
        404,
        expect.stringContaining('does not offer'),
      ])
    }
  })
})
