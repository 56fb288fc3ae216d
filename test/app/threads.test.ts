import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { startDemoUpstream } from '../../src/app/demo/upstream.ts'
import { speaksAt, testKey, upstreamKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// Threads of the messages protocol, which only its own vendor keeps, on channels of the others.

const foreign = ['chat', 'responses', 'gemini'] as const
let demo: ReturnType<typeof startDemoUpstream>
let gateway: Running
beforeAll(async () => {
  demo = startDemoUpstream({ paceMs: 0 })
  gateway = await startServing({
    ...{ upstream: demo.url, models: ['demo'] },
    prices: Object.fromEntries(foreign.map((name) => [`on-${name}`, { input: 1, output: 2 }])),
    moreChannels: foreign.map((name) => ({
      ...{ name, api_key: upstreamKey, allow_private: true, speaks: speaksAt(demo.url, [name]) },
      models: [{ id: `on-${name}`, upstream: 'demo' }],
    })),
    group: {
      channels: ['main', ...foreign],
      models: ['demo', ...foreign.map((name) => `on-${name}`)],
    },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await demo.stop()
})

const call = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rome' } }
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'sun in Rome' }
const create = { type: 'create' }
const go = { type: 'continue', previous_message_id: 'msg_1' }

describe.each(foreign)('on a %s channel', (name) => {
  test.each([
    ['begun', create, [{ role: 'user', content: 'Weather in Rome?' }]],
    ['gone on with', go, [{ role: 'user', content: [result] }]],
    ['gone on with, and nothing new', go, []],
    ['gone on with in the middle', go, [{ role: 'assistant', content: [call] }]],
  ])('a thread is not %s: its end is no conversation', async (_, thread, messages) => {
    for (const stream of [false, true]) {
      const asked = { model: `on-${name}`, max_tokens: 100, stream, thread, messages }
      const refused = await gateway.ask('/v1/messages', asked)
      expect(refused.status).toBe(400)
      expect(await refused.json()).toEqual({
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: expect.stringContaining('thread'),
          details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
        },
        request_id: expect.any(String),
      })
    }
  })

  test('no count of its end alone is given', async () => {
    const asked = {
      model: `on-${name}`,
      thread: go,
      messages: [{ role: 'user', content: [result] }],
    }
    const refused = await gateway.ask('/v1/messages/count_tokens', asked)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { details: { error_code: 'thread_unsupported_request' } } },
    ])
    const begun = { ...asked, thread: create, messages: [{ role: 'user', content: 'Hello' }] }
    expect((await gateway.ask('/v1/messages/count_tokens', begun)).status).toBe(200)
  })

  test.each([false, true])(
    'the SDK’s tool runner goes on without one, streamed: %p',
    async (stream) => {
      const sent: string[] = []
      const client = new Anthropic({
        ...{ baseURL: gateway.serving.url, apiKey: testKey, maxRetries: 0 },
        fetch: (url, init) => {
          sent.push(String(init?.body).includes('"thread"') ? 'with' : 'without')
          return fetch(url, init)
        },
      })
      const { messages } = client.beta
      const body = {
        ...{ model: `on-${name}`, max_tokens: 1_000 },
        messages: [{ role: 'user' as const, content: 'Weather in Rome?' }],
        tools: [
          betaTool({
            ...{ name: 'get_weather', description: 'Weather of a place' },
            inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
            run: ({ city }) => `sun in ${city}`,
          }),
        ],
      }
      const final = stream
        ? await messages.toolRunner({ ...body, stream: true }).runUntilDone()
        : await messages.toolRunner(body).runUntilDone()
      expect(JSON.stringify(final.content)).toContain('sun in Rome')
      expect(sent).toEqual(['with', 'without', 'without'])
    },
  )
})
