import { afterAll, beforeAll, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import type { FaultRequest } from '../support/fault/requests.ts'
import { chunk, httpHead, lastChunk, type Steps, wait, write } from '../support/fault/steps.ts'
import { dialectOf, usualTokens, words } from '../support/fault/well.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type HeartbeatScene, startHeartbeats } from './heartbeat-scene.ts'

// S1: the vendors' SDKs read over heartbeats.

let scene: HeartbeatScene
beforeAll(async () => {
  scene = await startHeartbeats()
  scene.upstream.handle(slowly)
})
afterAll(() => scene[Symbol.asyncDispose]())

const said = words.join('')

/** Silent at first, in the middle, and before the end. */
function slowly(request: FaultRequest): Steps {
  const dialect = dialectOf(request)
  return [
    ...[wait(500), write(httpHead({ type: 'text/event-stream', framing: 'chunked' }))],
    ...[write(chunk(dialect.first(usualTokens) + dialect.piece(words[0]))), wait(500)],
    ...[write(chunk(words.slice(1).map(dialect.piece).join(''))), wait(500)],
    ...[write(chunk(dialect.last(usualTokens))), write(lastChunk)],
  ]
}

test('S1: OpenAI’s, chat', async () => {
  const client = new OpenAI({ baseURL: `${scene.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const stream = await client.chat.completions.create({
    model: 'test-model',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
  })
  let text = ''
  for await (const part of stream) text += part.choices[0]?.delta.content ?? ''
  expect(text).toBe(said)
})

test('S1: OpenAI’s, responses', async () => {
  const client = new OpenAI({ baseURL: `${scene.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const stream = await client.responses.create({
    model: 'test-model',
    input: 'hello',
    stream: true,
  })
  let text = ''
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') text += event.delta
  }
  expect(text).toBe(said)
})

test('S1: Anthropic’s', async () => {
  const client = new Anthropic({ baseURL: scene.url, apiKey: testKey, maxRetries: 0 })
  const stream = client.messages.stream({
    ...{ model: 'test-model', max_tokens: 100 },
    messages: [{ role: 'user', content: 'hello' }],
  })
  expect(await stream.finalText()).toBe(said)
})

test('S1: Google’s', async () => {
  const client = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: scene.url } })
  const stream = await client.models.generateContentStream({
    ...{ model: 'test-model', contents: 'hello' },
  })
  let text = ''
  for await (const part of stream) text += part.text ?? ''
  expect(text).toBe(said)
})
