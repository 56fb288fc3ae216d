import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { type Listeners, startListeners } from '../support/listeners.ts'
import { privateHosts, unfitUrls } from '../support/private-addresses.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { bodies } from './vendor-answers.ts'

// X1: addresses of this machine and its network, as an operator and as a client write them.

const nameOf = (at: number) => `private-${at}`

let listeners: Listeners
let upstream: FakeUpstream
let gateway: RunningBinary
beforeAll(async () => {
  listeners = await startListeners(bodies.chat)
  const { port } = listeners
  upstream = startFakeUpstream(({ path }) => {
    if (!path.includes('chat')) return jsonAnswer(bodies.gemini)
    const headers = { location: `http://127.0.0.1:${port}/v1/chat/completions` }
    return new Response(null, { status: 307, headers })
  })
  const channel = (name: string, speaks: object, more: object = {}) => ({
    ...{ name, speaks, api_key: upstreamKey, models: [name], ...more },
  })
  const allowed = { allow_private: true }
  const moreChannels = [
    ...privateHosts.map(({ host }, at) =>
      channel(nameOf(at), { chat: `http://${host}:${port}/v1` }),
    ),
    channel('allowed', { chat: `http://127.0.0.1:${port}/v1` }, allowed),
    channel('redirecting', speaksAt(upstream.url, ['chat']), allowed),
    channel('fetching', speaksAt(upstream.url, ['gemini']), allowed),
  ]
  const names = moreChannels.map(({ name }) => name)
  const prices = Object.fromEntries(names.map((name) => [name, { free: true }]))
  gateway = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, moreChannels, prices },
        group: { channels: ['main', ...names] },
      }),
  })
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop()
  await listeners[Symbol.asyncDispose]()
})

async function chat(model: string, content: unknown = 'hello') {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
    proxy: false,
  })
  const text = await response.text()
  return { status: response.status, reason: response.headers.get('x-tollgate-reason'), text }
}

/** What comes of asking for a model that has to be shown a file first. */
const chatAbout = (url: string) => chat('fetching', [{ type: 'image_url', image_url: { url } }])

/** Runs; nobody may come to the listeners meanwhile. */
async function unreached(run: () => Promise<void>): Promise<void> {
  const before = listeners.connections()
  await run()
  expect(listeners.connections()).toBe(before)
}

const hosts = privateHosts.map((one, at) => ({ ...one, at }))

describe.each(hosts)('X1: $host ($what)', ({ host, at }) => {
  test('is not called for a channel that has it as its base URL', async () => {
    await unreached(async () => {
      const { status, reason, text } = await chat(nameOf(at))
      expect(status).toBe(502)
      expect(reason).toMatch(/^(no_channel|upstream_error)$/)
      expect(text).not.toContain(String(listeners.port))
    })
  })

  test('is not called for an image', async () => {
    upstream.clear()
    await unreached(async () => {
      const answer = await chatAbout(`http://${host}:${listeners.port}/a.png`)
      expect([answer.status, answer.reason]).toEqual([400, 'invalid_value'])
      expect(answer.text).toMatch(/has no public address|could not be found/)
      expect(JSON.parse(answer.text).error.param).toStartWith('messages[0].content[0]')
    })
    expect(upstream.requests).toEqual([])
  })
})

test.each(unfitUrls)('X1: %j is not called for an image', async (text) => {
  await unreached(async () => {
    const answer = await chatAbout(text.replaceAll('{port}', String(listeners.port)))
    expect([answer.status, answer.reason]).toEqual([400, 'invalid_value'])
  })
})

test('X1: none of what is no web address is taken as a base URL, and each is pointed out', async () => {
  using dir = createTempDir()
  const moreChannels = unfitUrls.map((text, at) => ({
    ...{ name: `unfit-${at}`, api_key: upstreamKey, models: ['m'] },
    speaks: { chat: text.replaceAll('{port}', String(listeners.port)) },
  }))
  const config = dir.join('tollgate.yaml')
  writeFileSync(config, tollgateYaml({ upstream: upstream.url, moreChannels }), { mode: 0o600 })
  const { exitCode, stderr } = await runBinary(['plan', '--config', config], { cwd: dir.path })
  expect(exitCode).not.toBe(0)
  const unnamed = unfitUrls.filter((_, at) => !stderr.includes(`channels[${at + 1}].speaks.chat`))
  expect(unnamed).toEqual([])
})

test('X1: a redirect to this machine is not followed, also for a channel that may call it', async () => {
  await unreached(async () => {
    const { status, reason } = await chat('redirecting')
    expect([status, reason]).toEqual([502, 'upstream_invalid'])
  })
})

test('a channel that may call this machine does', async () => {
  const before = listeners.connections()
  const { status, text } = await chat('allowed')
  expect([status, JSON.parse(text)]).toEqual([200, bodies.chat])
  expect(listeners.connections()).toBeGreaterThan(before)
})
