import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { RunningBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { allDialects, dialects } from './dialects.ts'
import { keyOn, startTranslating } from './translated.ts'

// What is much work is done on another thread of the program: nobody sees a difference.

let upstream: FakeUpstream
let gateway: RunningBinary
beforeAll(async () => {
  upstream = startFakeUpstream(({ path }) => {
    const dialect = allDialects.find((one) => path.includes(tail(one.path(false)))) ?? dialects.chat
    return jsonAnswer(dialect.body({ input: 9, output: 5 }))
  })
  gateway = await startTranslating(upstream.url)
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop()
})

const tail = (path: string) => path.slice(path.lastIndexOf('/') + 1)

const said = Array.from({ length: 6_000 }, (_, at) => `said ${at}.`)

test.each(allDialects.filter(({ name }) => name !== 'chat'))(
  '6,000 messages of a chat client go to a $name channel, every word of them',
  async (dialect) => {
    const messages = said.map((content, at) => ({ role: at % 2 ? 'assistant' : 'user', content }))
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keyOn(dialect)}` },
      body: JSON.stringify({ model: 'test-model', messages }),
      proxy: false,
    })
    expect(await answer.json()).toMatchObject({ object: 'chat.completion' })
    const sent = new TextDecoder().decode(upstream.requests.at(-1)?.body)
    expect(said.filter((text) => !sent.includes(text))).toEqual([])
  },
)

test('a fault in one of many messages is told by its field', async () => {
  const messages = said.map((content) => ({ role: 'user', content }))
  const faulty = messages.with(5_000, { role: 'nobody', content: 'x' })
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOn(dialects.gemini)}` },
    body: JSON.stringify({ model: 'test-model', messages: faulty }),
    proxy: false,
  })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { param: 'messages[5000].role' } })
})
