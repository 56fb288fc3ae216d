import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import type { FaultRequest } from '../support/fault/requests.ts'
import {
  chunk,
  httpBytes,
  httpHead,
  lastChunk,
  type Steps,
  wait,
  write,
} from '../support/fault/steps.ts'
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
const refusal = '{"error":{"message":"the prompt is too long"}}'

/** Silent at first, in the middle, and before the end; or silent, and then a refusal or a break. */
function slowly(request: FaultRequest): Steps {
  const dialect = dialectOf(request)
  if (request.text.includes('refuse me')) {
    return [wait(500), write(httpBytes({ status: 400, body: refusal }))]
  }
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

const google = () => new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: scene.url } })

test('S1: Google’s', async () => {
  const client = google()
  const stream = await client.models.generateContentStream({
    ...{ model: 'test-model', contents: 'hello' },
  })
  let text = ''
  for await (const part of stream) text += part.text ?? ''
  expect(text).toBe(said)
})

test('S1: Google’s chat sends all of the turn before, and no upstream is sent an empty part', async () => {
  const chat = google().chats.create({ model: 'test-model' })
  let text = ''
  for await (const part of await chat.sendMessageStream({ message: 'hello' }))
    text += part.text ?? ''
  expect(text).toBe(said)
  const before = scene.upstream.requests.length
  for await (const _ of await chat.sendMessageStream({ message: 'and then?' }));
  const sent = scene.upstream.requests.slice(before).map((request) => JSON.parse(request.text))
  expect(sent.length).toBe(1)
  const contents: { role: string; parts: { text: string; thought?: boolean }[] }[] =
    sent[0].contents
  const spoken = (role: string) =>
    contents
      .filter((content) => content.role === role)
      .flatMap(({ parts }) => parts)
      .map((part) => (part.thought ? '' : part.text))
      .join('')
  expect([spoken('user'), spoken('model')]).toEqual(['helloand then?', said])
  expect(contents.flatMap(({ parts }) => parts).filter((part) => part.text === undefined)).toEqual(
    [],
  )
})

describe('a refusal behind heartbeats is the SDK’s own error, with its message', () => {
  const failureOf = (asked: Promise<unknown>) => asked.then(String, (error: unknown) => error)
  const drain = async (stream: AsyncIterable<unknown>) => {
    for await (const _ of stream);
  }
  const openai = () => new OpenAI({ baseURL: `${scene.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const messages = [{ role: 'user', content: 'refuse me' } as const]
  const asked = { model: 'test-model', stream: true } as const
  const anthropic = () => new Anthropic({ baseURL: scene.url, apiKey: testKey, maxRetries: 0 })

  test.each<[string, () => Promise<unknown>, new (...args: never[]) => Error]>([
    [
      'chat',
      () =>
        openai()
          .chat.completions.create({ ...asked, messages })
          .then(drain),
      OpenAI.APIError,
    ],
    [
      'responses',
      () =>
        openai()
          .responses.create({ ...asked, input: 'refuse me' })
          .then(drain),
      OpenAI.APIError,
    ],
    [
      'responses, accumulated',
      () => openai().responses.stream({ model: 'test-model', input: 'refuse me' }).finalResponse(),
      OpenAI.APIError,
    ],
    [
      'messages',
      () =>
        anthropic()
          .messages.create({ ...asked, max_tokens: 9, messages })
          .then(drain),
      Anthropic.APIError,
    ],
    [
      'gemini',
      () =>
        google()
          .models.generateContentStream({ model: 'test-model', contents: 'refuse me' })
          .then(drain),
      ApiError,
    ],
  ])('%s', async (_, ask, kind) => {
    const failure = await failureOf(ask())
    expect(failure).toBeInstanceOf(kind)
    expect(String(failure)).toContain('the prompt is too long')
  })
})
