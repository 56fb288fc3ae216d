import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts'
import {
  type ForwardProxy,
  proxySecrets,
  saying,
  saysNothing,
  startForwardProxy,
} from '../support/forward-proxy.ts'
import { speaksAt, testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { vendorAnswer } from './vendor-answers.ts'

// A channel whose upstream only its proxy can find.

let upstream: FakeUpstream
let proxy: ForwardProxy
let gateway: RunningBinary
beforeAll(async () => {
  upstream = startFakeUpstream(vendorAnswer)
  proxy = await startForwardProxy()
  const { port } = new URL(upstream.url)
  const secure = { speaks: { chat: 'https://api.test/v1' }, proxy: proxy.url, api_key: 'k' }
  gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: '', prices: { secure: { free: true }, hurried: { free: true } } },
        channel: {
          ...{ speaks: speaksAt(`http://api.test:${port}`), proxy: proxy.url },
          allow_private: false,
        },
        moreChannels: [
          { name: 'secure', models: ['secure'], ...secure },
          { name: 'hurried', models: ['hurried'], ...secure, timeouts: { connect: '300ms' } },
        ],
        group: { channels: ['main', 'secure', 'hurried'] },
      }),
  })
})
afterAll(async () => {
  await gateway.stop()
  await proxy[Symbol.asyncDispose]()
  await upstream.stop()
})
beforeEach(() => {
  upstream.clear()
  proxy.script(undefined)
})

const call = (path: string, body?: object) =>
  fetch(gateway.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    proxy: false,
  })

const chat = (model: string) =>
  call('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hello' }] })

test('requests, and answers that are fetched later, go by the channel’s proxy', async () => {
  expect((await chat('test-model')).status).toBe(200)
  const made = await call('/v1/responses', { model: 'test-model', input: 'hello' })
  const { id } = (await made.json()) as { id: string }
  upstream.handle((request) =>
    request.method === 'GET' ? Response.json({ id, object: 'response' }) : vendorAnswer(request),
  )
  const fetched = await call(`/v1/responses/${id}`)
  expect([made.status, fetched.status, upstream.requests.length]).toEqual([200, 200, 3])
  const hosts = new Set(upstream.requests.map(({ headers }) => headers.get('host')))
  expect([...hosts]).toEqual([`api.test:${new URL(upstream.url).port}`])
  expect(proxy.asked.every((line) => line.includes(' http://api.test:'))).toBe(true)
})

test('connections by a proxy are kept', async () => {
  await (await chat('test-model')).text()
  const before = proxy.connections()
  for (let times = 0; times < 20; times++) await (await chat('test-model')).text()
  expect(proxy.connections()).toBe(before)
})

test('a proxy that fails is told as an upstream that can’t be reached', async () => {
  proxy.script(saying('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
  const refused = await chat('secure')
  expect([refused.status, refused.headers.get('x-tollgate-reason')]).toEqual([
    ...[502, 'upstream_error'],
  ])
  proxy.script(saysNothing)
  const silent = await chat('hurried')
  expect([silent.status, silent.headers.get('x-tollgate-reason')]).toEqual([
    ...[504, 'upstream_timeout'],
  ])
  const shown = (await refused.text()) + (await silent.text())
  for (const secret of [...proxySecrets, 'jane', String(proxy.port)]) {
    expect(shown).not.toContain(secret)
  }
})

test('X7: the proxy’s password is in no log line, list or export', async () => {
  proxy.script(saying('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
  await (await chat('secure')).text()
  const config = ['--config', `${gateway.cwd}/tollgate.yaml`]
  const commands = [
    ...[
      ['channel', 'list'],
      ['channel', 'list', '--json'],
      ['channel', 'show', 'main'],
    ],
    ...[['channel', 'show', 'main', '--json'], ['plan'], ['export', 'requests']],
  ]
  const told = await Promise.all(
    commands.map((command) => runBinary([...command, ...config], { cwd: gateway.cwd })),
  )
  const lines = [...gateway.stdout, ...gateway.stderr]
  expect(lines.some((line) => line.includes('"cause":"connect_failed"'))).toBe(true)
  const all = [...lines, ...told.flatMap(({ stdout, stderr }) => [stdout, stderr])].join('\n')
  for (const secret of proxySecrets) expect(all).not.toContain(secret)
})
