import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { allDialects, dialects, wholeStream } from '../e2e/dialects.ts'
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts'
import { type Clocked, outcomeOf, startClocked } from './clocked.ts'

// Requests whose estimate is beyond all money: a fault of nobody's, and never the gateway's own.

let clocked: Clocked
beforeAll(async () => {
  // Dear, so that products get large.
  const prices = { 'test-model': { input: 15, output: 600 } }
  clocked = await startClocked({ start: '2026-11-21T08:00:00Z', prices })
})
afterAll(() => clocked[Symbol.asyncDispose]())

const tokens = { input: 10, output: 5 }
const huge = [2 ** 53 - 1, 10 ** 12]

describe.each(allDialects)('$name', (dialect) => {
  test.each(huge)('a limit of %p LLM tokens can not be paid for in advance: 401', async (most) => {
    clocked.upstream.handle(() => jsonAnswer(dialect.body(tokens)))
    expect(await outcomeOf(clocked.ask(dialect, { maxTokens: most }))).toEqual([401, 'balance'])
  })

  test('a limit beyond all integers is none', async () => {
    clocked.upstream.handle(() => jsonAnswer(dialect.body(tokens)))
    expect(await outcomeOf(clocked.ask(dialect, { maxTokens: 1e20 }))).toEqual([200, null])
  })

  test('as a stream it begins with what there is', async () => {
    clocked.upstream.handle(() => sseAnswer(wholeStream(dialect, tokens, ['hi'])))
    const answer = await clocked.ask(dialect, { stream: true, maxTokens: 10 ** 12 })
    expect(answer.status).toBe(200)
    expect(dialect.isWhole(await answer.text())).toBeTrue()
  })
})

test('many answers side by side, each with a huge limit', async () => {
  const body = { ...dialects.chat.request(false), n: 128, max_tokens: 2 ** 53 - 1 }
  const chat = clocked.send(dialects.chat.path(false), body)
  expect(await outcomeOf(chat)).toEqual([401, 'balance'])
  const candidates = {
    ...dialects.gemini.request(false),
    generationConfig: { candidateCount: 2 ** 53 - 1, maxOutputTokens: 2 ** 53 - 1 },
  }
  const gemini = clocked.send(dialects.gemini.path(false), candidates)
  expect(await outcomeOf(gemini)).toEqual([401, 'balance'])
})

test('a media part with more members than a call may have arguments', async () => {
  const members = Array.from({ length: 900_000 }, () => 0)
  const part = { type: 'image_url', image_url: { url: 'https://images.example/a.png' }, members }
  const body = {
    ...{ model: 'test-model', max_tokens: 5 },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }, part] }],
  }
  clocked.upstream.handle(() => jsonAnswer(dialects.chat.body(tokens)))
  expect(await outcomeOf(clocked.send('/v1/chat/completions', body))).toEqual([200, null])
})

test('none of it was a fault of the gateway’s own', () => {
  expect(clocked.complaints.filter((line) => line.includes('internal error'))).toEqual([])
})
