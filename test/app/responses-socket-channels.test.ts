import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { allDialects } from '../e2e/dialects.ts'
import type { FakeUpstream } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { answering, conversationOf, model, startGateway } from './responses-socket-scene.ts'
import type { Running } from './serving.ts'
import { type Client, openSocket } from './socket-client.ts'

// Responses over WebSockets: conversations on channels of each protocol.

describe.each(allDialects)('on a channel that speaks $name', (dialect) => {
  let upstream: FakeUpstream
  let gateway: Running
  let client: Client
  beforeAll(async () => {
    upstream = answering(dialect)
    gateway = await startGateway(upstream, dialect)
  })
  beforeEach(async () => {
    client = await openSocket(gateway)
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream.stop()
  })

  test.each([{ store: false }, { store: true }])(
    'a conversation with %o goes on by the id of its last response',
    async ({ store }) => {
      let previous_response_id: string | undefined
      for (const input of ['Say one.', 'Say two.', 'Say three.']) {
        const events = await client.create({ model, input, store, previous_response_id })
        expect(events.map(({ type }) => type)).toContain('response.output_text.delta')
        previous_response_id = events.at(-1)?.response?.id
        expect(events.at(-1)).toMatchObject({ type: 'response.completed' })
      }
      const isKeptThere = store && dialect.name === 'responses'
      if (isKeptThere) expect(conversationOf(upstream)).toBe('"Say three."')
      else expect(conversationOf(upstream)).toMatch(/one.*Hello\..*two.*Hello\..*three/)
      expect(conversationOf(upstream)).not.toContain('"rs_')
      client.close()
    },
  )

  test('a warm-up asks nobody, costs nothing, and is gone on with', async () => {
    const asked = upstream.requests.length
    const warm = await client.create({ model, input: 'Say one.', generate: false, store: false })
    expect(warm.map(({ type }) => type)).toEqual([
      ...['response.created', 'response.in_progress', 'response.completed'],
    ])
    expect(warm.at(-1)?.response).toMatchObject({ output: [], usage: { total_tokens: 0 } })
    expect(upstream.requests).toHaveLength(asked)
    const previous_response_id = warm.at(-1)?.response?.id
    await client.create({ model, input: 'Say two.', store: false, previous_response_id })
    expect(conversationOf(upstream)).toMatch(/one.*two/)
    client.close()
  })

  test("the vendor's SDK reads it", async () => {
    const baseURL = `${gateway.serving.url}/v1`
    const socket = new ResponsesWS(new OpenAI({ baseURL, apiKey: testKey }))
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    let text = ''
    socket.on('error', reject)
    socket.on('response.output_text.delta', ({ delta }) => {
      text += delta
    })
    socket.on('response.completed', () => resolve(text))
    socket.send({ type: 'response.create', model, input: 'Say one.' })
    expect(await promise).toBe('Hello.')
    socket.close()
  })
})
