import { afterAll, beforeEach, expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { startServing } from './serving.ts'

// What one request may cost at the most, by its token: from the file, also a changed one.

const { chat } = dialects
const upstream = startFakeUpstream(() => jsonAnswer(chat.body({ input: 100, output: 50 })))
const token = { max_cost_per_request: 0.001 }
const running = await startServing({ upstream: upstream.url, token })
afterAll(async () => {
  await running[Symbol.asyncDispose]()
  await upstream.stop()
})
beforeEach(() => upstream.clear())

const ask = (max: number, name: keyof typeof dialects = 'chat', stream = false) =>
  running.ask(dialects[name].path(stream), {
    ...dialects[name].request(stream),
    ...(name === 'responses' ? { max_output_tokens: max } : { max_tokens: max }),
  })

test('a request that could cost more is refused before the upstream is asked', async () => {
  const answer = await ask(1_000)
  expect(answer.status).toBe(400)
  expect(answer.headers.get('x-tollgate-reason')).toBe('max_cost_exceeded')
  const { error } = (await answer.json()) as { error: { code: string; message: string } }
  expect(error.code).toBe('max_cost_exceeded')
  expect(error.message).toMatch(/^This request could cost 0\.002\d* USD.* 0\.001 USD/)
  expect(upstream.requests).toEqual([])
})

test.each(['responses', 'messages'] as const)('so is one of %s, streamed or not', async (name) => {
  for (const stream of [true, false]) {
    const answer = await ask(1_000, name, stream)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('0.001 USD')
  }
  expect(upstream.requests).toEqual([])
})

test('a smaller one is answered, and costs no more', async () => {
  const answer = await ask(100)
  expect(answer.status).toBe(200)
  await answer.text()
  expect(upstream.requests).toHaveLength(1)
})

test('what the file says anew is in force, null too', async () => {
  await running.configure({ token: { max_cost_per_request: null } })
  expect((await ask(1_000)).status).toBe(200)
  await running.configure({ token: { max_cost_per_request: 0 } })
  expect((await ask(1)).status).toBe(400)
})
