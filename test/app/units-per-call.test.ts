import { afterAll, beforeAll, expect, test } from 'bun:test'
import { jsonAnswer } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Clocked, startClocked } from './clocked.ts'

// A price per call counts every unit that is made for one request: answers side by side, embeddings.

let clocked: Clocked
beforeAll(async () => {
  clocked = await startClocked({
    start: '2026-11-21',
    prices: { 'test-model': { per_call: 0.01 } },
  })
})
afterAll(() => clocked[Symbol.asyncDispose]())

const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
const message = { role: 'assistant', content: 'hello' }
const chatAnswer = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage }
const candidate = { content: { role: 'model', parts: [{ text: 'hello' }] }, finishReason: 'STOP' }
const geminiAnswer = { candidates: [candidate], usageMetadata: { promptTokenCount: 10 } }
const embeddings = { object: 'list', data: [], usage: { prompt_tokens: 10, total_tokens: 10 } }

const images = (count: number) => ({ data: Array.from({ length: count }, () => ({ url: 'u' })) })

const model = 'test-model'
const painted = { model, prompt: 'a house' }
const content = { parts: [{ text: 'hello' }] }
const contents = [{ role: 'user', ...content }]
const chat = { model, messages: [{ role: 'user', content: 'hello' }] }
const beta = `/v1beta/models/${model}`

test.each([
  ['an answer', '/v1/chat/completions', chat, chatAnswer, 1],
  ['`n` answers', '/v1/chat/completions', { ...chat, n: 3 }, chatAnswer, 3],
  [
    'candidates',
    `${beta}:generateContent`,
    { contents, generationConfig: { candidateCount: 4 } },
    geminiAnswer,
    4,
  ],
  [
    'candidates, in the other spelling',
    `${beta}:generateContent`,
    { contents, generation_config: { candidate_count: 2 } },
    geminiAnswer,
    2,
  ],
  [
    'an answer, whatever else is in its body',
    `${beta}:generateContent`,
    { contents, requests: [] },
    geminiAnswer,
    1,
  ],
  [
    'an embedding, whatever else is in its body',
    `${beta}:embedContent`,
    { content, requests: [] },
    { embedding: { values: [1] } },
    1,
  ],
  ['an image', '/v1/images/generations', painted, images(1), 1],
  ['images that are asked for', '/v1/images/generations', { ...painted, n: 3 }, images(3), 3],
  ['more of them than are asked for', '/v1/images/generations', painted, images(15), 15],
  ['fewer of them', '/v1/images/generations', { ...painted, n: 3 }, images(2), 3],
  [
    'images that are told by their number',
    '/v1/images/generations',
    painted,
    { data: [], usage: { generated_images: 4, output_tokens: 9, total_tokens: 9 } },
    4,
  ],
  ['a text', '/v1/embeddings', { model, input: 'hello' }, embeddings, 1],
  ['texts', '/v1/embeddings', { model, input: ['a', 'b', 'c', 'd', 'e'] }, embeddings, 5],
  ['a text as LLM tokens', '/v1/embeddings', { model, input: [1, 2, 3] }, embeddings, 1],
  ['texts as LLM tokens', '/v1/embeddings', { model, input: [[1, 2], [3]] }, embeddings, 2],
  ['an embedding', `${beta}:embedContent`, { content }, { embedding: { values: [1] } }, 1],
  [
    'embeddings in a batch',
    `${beta}:batchEmbedContents`,
    { requests: [1, 2, 3].map(() => ({ model: `models/${model}`, content })) },
    { embeddings: [{ values: [1] }] },
    3,
  ],
])('%s', async (_, path, body, answered, calls) => {
  clocked.upstream.handle(() => jsonAnswer(answered))
  const request = new Request(`http://gateway.example${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await clocked.tollgate.app.handle(request)
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  await clocked.tollgate.settled()
  const id = answer.headers.get('x-request-id') ?? ''
  const receipt = await clocked.store.records.receipt(id)
  expect(receipt?.request).toMatchObject({ calls, amountNano: calls * 10_000_000 })
})
