import { afterAll, beforeAll, expect, test } from 'bun:test'
import { dialects } from '../../e2e/dialects.ts'
import { until } from '../../e2e/until.ts'
import { type FakeUpstream, startFakeUpstream } from '../../support/fake-upstream.ts'
import { speaksAt, testKey, upstreamKey } from '../../support/tollgate-yaml.ts'
import { type Running, startServing } from '../serving.ts'

// Who sells a model in the protocol chat tells what was written to its cache at the end only, and bills it
// at more than the price of input.

const { chat } = dialects
const written = 4_000
let upstream: FakeUpstream
let app: Running

beforeAll(async () => {
  upstream = startFakeUpstream(() => {
    const usage = {
      ...{ prompt_tokens: written, completion_tokens: 2, total_tokens: written + 2 },
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: written },
    }
    async function* answer() {
      yield chat.first({ input: 1, output: 1 }) + chat.piece('Hel')
      // Long enough for one whose client has left to be stopped.
      for (let piece = 0; piece < 40; piece++) {
        await Bun.sleep(5)
        yield chat.piece('lo')
      }
      yield `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`
      yield `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`
    }
    return new Response(answer() as never, { headers: { 'content-type': 'text/event-stream' } })
  })
  const channel = {
    ...{ name: 'reseller', api_key: upstreamKey, allow_private: true },
    models: [{ id: 'resold', upstream: 'claude-3-5-sonnet' }],
    speaks: speaksAt(upstream.url, ['chat']),
  }
  app = await startServing({
    upstream: upstream.url,
    moreChannels: [channel],
    group: { channels: ['main', 'reseller'] },
    prices: { resold: { input: 3, output: 15, cache_write: 3.75, cache_write_1h: 6 } },
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.stop()
})

test('who leaves a stream early pays for what was written to the cache', async () => {
  const leaving = new AbortController()
  const cache_control = { type: 'ephemeral' }
  const content = [{ type: 'text', text: 'word '.repeat(written), cache_control }]
  const answer = await fetch(`${app.serving.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'resold', stream: true, messages: [{ role: 'user', content }] }),
    ...{ signal: leaving.signal, proxy: false },
  })
  const id = answer.headers.get('x-request-id') ?? ''
  await answer.body?.getReader().read()
  leaving.abort()
  const record = async () => (await app.instance.store.records.receipt(id))?.request
  await until('the record', async () => (await record()) !== undefined)
  expect(await record()).toMatchObject({ ending: 'client_left', cacheWriteTokens: written })
})
