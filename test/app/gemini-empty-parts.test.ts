import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { jsonAnswer } from '../support/fake-upstream.ts'
import { speaksAt } from '../support/tollgate-yaml.ts'
import { type Clocked, startClocked, usual } from './clocked.ts'

// What a gemini client sends back of texts that were empty, and of heartbeats.

const path = dialects.gemini.path(false)
const contents = (...parts: readonly string[]) =>
  `[{"role":"user","parts":[{"text":"one"}]},{"role":"model","parts":[${parts.join(',')}]},{"role":"user","parts":[{"text":"two"}]}]`

let gateway: Clocked
beforeAll(async () => {
  gateway = await startClocked({ start: '2026-11-21T10:00:00Z' })
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** What the upstream gets of a body. */
async function sent(body: string): Promise<string | undefined> {
  const answer = await gateway.send(path, JSON.parse(body))
  expect(answer.status).toBe(200)
  return gateway.upstream.requests.at(-1)?.text()
}

describe('a native channel', () => {
  beforeAll(() => gateway.upstream.handle(() => jsonAnswer(dialects.gemini.body(usual))))

  test('gets no part that holds nothing, and every other byte', async () => {
    const call = '{"functionCall":{"name":"f","args":{}}}'
    const rest = ',"generationConfig":{"maxOutputTokens":9}}'
    expect(await sent(`{"contents":${contents('{}', '{"text":"a"}', call, '{}')}${rest}`)).toBe(
      `{"contents":${contents('{"text":"a"}', call)}${rest}`,
    )
  })

  test('gets no content of nothing else', async () => {
    expect(await sent(`{"contents":${contents('{}')}}`)).toBe(
      '{"contents":[{"role":"user","parts":[{"text":"one"}]},{"role":"user","parts":[{"text":"two"}]}]}',
    )
  })

  test('gets all other bodies as they are', async () => {
    const thought = '{"text":" ","thought":true}'
    const body = `{"contents":${contents(thought, '{"text":"[{},{}]"}')}}`
    expect(await sent(body)).toBe(body)
  })
})

describe('a channel of another protocol', () => {
  beforeAll(async () => {
    await gateway.configure({ channel: { speaks: speaksAt(gateway.upstream.url, ['chat']) } })
    gateway.upstream.handle(() => jsonAnswer(dialects.chat.body(usual)))
  })

  test('gets neither, nor a thought that was a heartbeat; nothing is named as left out', async () => {
    const parts = [
      '{"text":" ","thought":true}',
      '{}',
      '{"text":"a"}',
      '{"text":"   ","thought":true}',
    ]
    const answer = await gateway.send(path, JSON.parse(`{"contents":${contents(...parts)}}`), {})
    expect([answer.status, answer.headers.get('x-tollgate-dropped')]).toEqual([200, null])
    const { messages } = JSON.parse(gateway.upstream.requests.at(-1)?.text() ?? '')
    expect(messages).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'two' },
    ])
  })
})
