import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Dialect, dialects } from '../e2e/dialects.ts'
import { vendorAnswer } from '../e2e/vendor-answers.ts'
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts'
import { speaksAt, upstreamKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// CONTRACT 3: a query string decides nothing; on a channel of the client's protocol it is sent on.

let upstream: FakeUpstream
let gateway: Running
beforeAll(async () => {
  upstream = startFakeUpstream(vendorAnswer)
  const { chat: base } = speaksAt(upstream.url, ['chat'])
  gateway = await startServing({
    upstream: upstream.url,
    models: ['test-model'],
    prices: { 'on-azure': { input: 1, output: 2 }, abroad: { input: 1, output: 2 } },
    group: { channels: ['main', 'azure', 'foreign'], models: ['test-model', 'on-azure', 'abroad'] },
    moreChannels: [
      {
        ...{ name: 'azure', api_key: upstreamKey, models: ['on-azure'], allow_private: true },
        speaks: { chat: `${base}?api-version=2024-10-21` },
      },
      {
        ...{ name: 'foreign', api_key: upstreamKey, models: ['abroad'], allow_private: true },
        speaks: { chat: base },
      },
    ],
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream.stop()
})
beforeEach(() => upstream.clear())

/** The query that the upstream got of one. */
async function sent(path: string, body: object): Promise<string> {
  const answer = await gateway.ask(path, body)
  await answer.text()
  expect(answer.status).toBe(200)
  return new URL(upstream.last().path, 'http://up').search
}

const ask = (dialect: Dialect, query: string, stream = false) =>
  sent(`${dialect.path(stream)}?${query}`, dialect.request(stream))

describe.each([dialects.chat, dialects.responses, dialects.messages])('$name', (dialect) => {
  test.each([false, true])(
    'sends it on, but for keys and what the body says (%p)',
    async (stream) => {
      expect(await ask(dialect, 'beta=true', stream)).toBe('?beta=true')
      const query = 'Api_Key=a&model=dear&beta=true&access_token=b#other'
      expect(await ask(dialect, query, stream)).toBe('?beta=true')
    },
  )
})

test('a count is asked for with it, too', async () => {
  const path = '/v1/messages/count_tokens?beta=true&key=x'
  const { model, messages } = dialects.messages.request(false) as Record<string, unknown>
  expect(await sent(path, { model, messages })).toBe('?beta=true')
})

test('what the channel’s own address says stands', async () => {
  const body = { ...dialects.chat.request(false), model: 'on-azure' }
  expect(await sent('/v1/chat/completions?api-version=1999-01-01&a=b', body)).toBe(
    '?api-version=2024-10-21&a=b',
  )
})

test('a channel of another protocol gets none', async () => {
  const body = { ...dialects.messages.request(false), model: 'abroad' }
  expect(await sent('/v1/messages?beta=true', body)).toBe('')
})

test('of Gemini’s nothing but its framing is sent', async () => {
  const path = `${dialects.gemini.path(true)}&fields=candidates&%24httpMethod=GET&prettyPrint=true`
  expect(await sent(path, dialects.gemini.request(true))).toBe('?alt=sse')
})
