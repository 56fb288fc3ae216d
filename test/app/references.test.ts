import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type BackgroundUpstream, startBackgroundUpstream } from '../support/background-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// Requests refer to earlier answers by their ids: these belong to an account.

const strangerKey = 'sk-stranger-0123456789abcdefghijkl'
const siblingKey = 'sk-sibling-0123456789abcdefghijklm'
const slowKey = 'sk-slow-0123456789abcdefghijklmnop'
let upstream: BackgroundUpstream
let gateway: Running

const token = (name: string, key: string, more: object = {}) => ({
  name,
  key,
  group: 'default',
  ...more,
})
const account = (email: string, ...tokens: readonly object[]) => ({ email, balance: 1, tokens })

beforeAll(async () => {
  upstream = startBackgroundUpstream()
  gateway = await startServing({
    ...{ upstream: upstream.url, balance: 1 },
    moreAccounts: [
      account('stranger@example.com', token('only', strangerKey)),
      account(
        'two@example.com',
        token('slow', slowKey, { limits: { rpm: 2 } }),
        token('sibling', siblingKey),
      ),
    ],
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

async function create(more: object, key: string) {
  const asked = { model: 'test-model', input: 'Hello.', ...more }
  const answer = await gateway.ask('/v1/responses', asked, key)
  return { status: answer.status, body: (await answer.json()) as Record<string, never> }
}
const stored = async (id: string, key: string) => {
  const url = `${gateway.serving.url}/v1/responses/${id}`
  const answer = await fetch(url, { proxy: false, headers: { authorization: `Bearer ${key}` } })
  await answer.text()
  return answer
}

test('fetching counts in the limits of its token, and another token of the account may do it', async () => {
  const { body } = await create({}, slowKey)
  const id = String(body.id)
  expect((await stored(id, slowKey)).status).toBe(200)
  const limited = await stored(id, slowKey)
  expect([limited.status, limited.headers.get('x-tollgate-reason')]).toEqual([429, 'rate_limited'])
  expect((await stored(id, siblingKey)).status).toBe(200)
  expect((await create({ previous_response_id: id }, siblingKey)).status).toBe(200)
  expect((await stored(id, strangerKey)).status).toBe(404)
})

test('a thread that nobody has begun here is refused in the words by which its SDK sends all again', async () => {
  const thread = { type: 'continue', previous_message_id: 'msg_of_nobody' }
  const asked = { model: 'test-model', max_tokens: 9, messages: [], thread }
  const refused = await gateway.ask('/v1/messages', asked, testKey)
  expect(refused.status).toBe(404)
  expect(await refused.json()).toMatchObject({
    type: 'error',
    error: { type: 'not_found_error', details: { error_code: 'thread_not_found' } },
  })
})

test("an item with the id of another account's is refused, however it is sent; its own is not", async () => {
  const { body } = await create({}, testKey)
  const id = `msg_${body.id}`
  const content = [{ type: 'output_text', text: 'Done.' }]
  const items: readonly object[] = [
    { type: 'item_reference', id },
    { id },
    { type: null, id },
    { type: 'image_generation_call', id },
    { type: 'reasoning', id, summary: [] },
    { type: 'message', role: 'assistant', id, content: [] },
    { type: 'message', role: 'assistant', id, content },
    { type: 'reasoning', id, summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'function_call', id, call_id: 'call_1', name: 'f', arguments: '{}' },
  ]
  const user = { role: 'user', content: 'Repeat what was said.' }
  for (const unknown_answers of ['refuse_shared', 'pass']) {
    await gateway.configure({ settings: { unknown_answers } })
    for (const item of items) {
      const asked = upstream.requests.length
      const refused = await create({ input: [user, item] }, strangerKey)
      expect([refused.status, refused.body.error]).toMatchObject([
        404,
        { code: 'previous_response_not_found', message: expect.stringContaining(id) },
      ])
      expect(upstream.requests).toHaveLength(asked)
      expect((await create({ input: [user, item] }, testKey)).status).toBe(200)
    }
  }
  await gateway.configure({})
})

test('an item that is sent whole may have an id that nobody knows', async () => {
  const content = [{ type: 'output_text', text: 'Done.' }]
  const item = { type: 'message', role: 'assistant', id: 'msg_of_the_client', content }
  expect((await create({ input: [item] }, strangerKey)).status).toBe(200)
})

test('unknown answers are refused or passed on as the setting says', async () => {
  const continued = { previous_response_id: 'resp_of_nobody' }
  const asked = upstream.requests.length
  await gateway.configure({ settings: { unknown_answers: 'refuse' } })
  expect((await create(continued, testKey)).status).toBe(404)
  expect(upstream.requests).toHaveLength(asked)
  await gateway.configure({ settings: { unknown_answers: 'pass' } })
  expect((await create(continued, testKey)).body.error).toMatchObject({
    message: expect.stringContaining("'resp_of_nobody' not found"),
  })
  expect(upstream.requests).toHaveLength(asked + 1)
})

test('where one account alone uses the channel, an unknown answer is passed on', async () => {
  await using alone = await startServing({ upstream: upstream.url, balance: 1 })
  const asked = upstream.requests.length
  const body = { model: 'test-model', input: 'Hi.', previous_response_id: 'resp_of_nobody' }
  expect((await alone.ask('/v1/responses', body)).status).toBe(404)
  expect(upstream.requests).toHaveLength(asked + 1)
})
