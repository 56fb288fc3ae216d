import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { schemas } from '../../src/app/schemas.ts'
import type { StatusDocument, StatusGroup } from '../../src/site/status/schema.ts'
import { createValidator } from '../site/schemas/ajv.ts'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { type MetricFamily, parseExposition } from '../support/exposition.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  type SeenRequest,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { freePort } from '../support/free-port.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { dialects } from './dialects.ts'
import { until } from './until.ts'

// The status and the metrics, through the compiled program: what they say is what was asked.

const validate = createValidator(schemas.status.content())
const folder = createTempDir()
let upstream: FakeUpstream
let gateway: RunningBinary
let metricsPort: number

const yaml = (listen: string) =>
  tollgateYaml({
    listen,
    upstream: upstream.url,
    server: { metrics: `127.0.0.1:${metricsPort}` },
    settings: { channel_cooling: false, max_attempts: 1 },
    moreGroups: [{ name: 'idle', channels: ['main'] }],
  })

const start = () =>
  startBinary({ args: ['serve', '--log', 'json'], config: yaml, cwd: folder.path })

beforeAll(async () => {
  upstream = startFakeUpstream(answerAsAsked)
  metricsPort = await freePort()
  gateway = await start()
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop()
  folder.remove()
})

const { chat } = dialects
const tokens = { input: 10, output: 7 }

/** Does what the question says. */
function answerAsAsked({ text, json }: SeenRequest): Response {
  if (text().includes('fail')) return jsonAnswer({ error: { message: 'broken' } }, 500)
  if (text().includes('refuse')) {
    return jsonAnswer({ error: { message: 'no', type: 'invalid_request_error' } }, 400)
  }
  if (!(json() as { stream?: boolean }).stream) return jsonAnswer(chat.body(tokens))
  return sseAnswer(chat.first(tokens) + chat.piece('hello') + chat.last(tokens))
}

async function ask(question: string, stream = false): Promise<number> {
  const response = await fetch(gateway.url + chat.path(stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(chat.request(stream, question)),
    proxy: false,
  })
  await response.text()
  return response.status
}

async function statusOf(): Promise<readonly StatusGroup[]> {
  const response = await fetch(`${gateway.url}/api/v1/status`, { proxy: false })
  const document = (await response.json()) as StatusDocument
  expect([response.status, validate(document)]).toEqual([200, []])
  return document.data.groups
}

/** The default group, once it tells of so many requests in the last hour. */
function groupWith(requests: number): Promise<StatusGroup> {
  const find = async () => {
    const found = (await statusOf()).find(({ name }) => name === 'default')
    return found?.availability['1h'].requests === requests && found
  }
  return until(`${requests} requests in the status`, find)
}

async function metricsOf(): Promise<ReadonlyMap<string, MetricFamily>> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { proxy: false })
  expect(response.status).toBe(200)
  return parseExposition(await response.text())
}

/** The value of a metric with these labels; those that are not named do not matter. */
function told(
  families: ReadonlyMap<string, MetricFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = families.get(name.replace(/_(bucket|sum|count)$/, '')) ?? families.get(name)
  return family?.lines.find(
    (line) =>
      line.name === name &&
      Object.entries(labels).every(([label, value]) => line.labels[label] === value),
  )?.value
}

const outcome = (word: string) => ({ group: 'default', model: 'test-model', outcome: word })

test('figures agree with what was asked: successes, failures of the upstream, mistakes of clients', async () => {
  expect((await statusOf()).map(({ name, state }) => [name, state])).toEqual([
    ['default', 'no_data'],
    ['idle', 'no_data'],
  ])
  for (let i = 0; i < 4; i++) expect(await ask('please')).toBe(200)
  for (let i = 0; i < 3; i++) expect(await ask('please', true)).toBe(200)
  for (let i = 0; i < 2; i++) expect(await ask('fail')).toBe(502)
  for (let i = 0; i < 5; i++) expect(await ask('refuse')).toBe(400)
  const group = await groupWith(9)
  const ratio = Math.floor((7 / 9) * 1e6) / 1e6
  for (const window of ['1h', '24h', '7d', '90d'] as const)
    expect(group.availability[window]).toEqual({ requests: 9, ratio })
  expect(group.state).toBe('degraded')
  expect(group.days.at(-1)).toEqual({ requests: 9, failed: 2 })
  expect(group.first_byte_ms.p50).toBeGreaterThan(0)
  expect(group.models).toMatchObject([{ name: 'test-model', availability: group.availability }])
  const idle = (await statusOf()).find(({ name }) => name === 'idle')
  expect(idle).toMatchObject({
    ...{ state: 'no_data', models: [] },
    availability: { '90d': { requests: 0, ratio: null } },
  })
})

test('the status page says the same in words, in the reader’s language', async () => {
  const pageIn = async (language: string) => {
    const headers = { 'accept-language': language }
    const response = await fetch(`${gateway.url}/status`, { headers, proxy: false })
    expect([response.status, response.headers.get('refresh')]).toEqual([200, '60'])
    return response.text()
  }
  const english = await until('the page of these requests', async () => {
    const html = await pageIn('en')
    return html.includes('2 of 9 requests failed') && html
  })
  expect(english).toContain('<h1 class="degraded"><span>1 of 2 groups is degraded</span></h1>')
  expect(english).toContain('77.77% succeeded')
  expect(await pageIn('zh-CN')).toContain('<span>2 个分组中，1 个部分异常</span>')
})

test('metrics agree with the status, on an address of their own', async () => {
  const families = await metricsOf()
  expect(told(families, 'tollgate_requests_total', outcome('succeeded'))).toBe(7)
  expect(told(families, 'tollgate_requests_total', outcome('upstream'))).toBe(2)
  expect(told(families, 'tollgate_requests_total', outcome('client'))).toBe(5)
  expect(told(families, 'tollgate_first_byte_seconds_count', { group: 'default' })).toBe(3)
  expect(told(families, 'tollgate_attempts_total', { channel: 'main', cause: 'none' })).toBe(7)
  expect(told(families, 'tollgate_output_tokens_total', { group: 'default' })).toBe(49)
  expect(told(families, 'tollgate_requests_in_flight')).toBe(0)
  expect(told(families, 'tollgate_channel_cooling', { channel: 'main' })).toBe(0)
  expect(told(families, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
  const outside = await fetch(`${gateway.url}/metrics`, { proxy: false })
  expect(outside.status).toBe(404)
  const inside = await fetch(`http://127.0.0.1:${metricsPort}/v1/models`, { proxy: false })
  expect(inside.status).toBe(404)
})

test('a restart keeps the figures of the status and adds to them; metrics begin anew', async () => {
  const before = await groupWith(9)
  await gateway.kill()
  gateway = await start()
  const after = await groupWith(9)
  expect(after.availability).toEqual(before.availability)
  expect(after.first_byte_ms).toEqual(before.first_byte_ms)
  expect(await ask('please')).toBe(200)
  expect((await groupWith(10)).availability['90d'].ratio).toBe(0.8)
  expect(told(await metricsOf(), 'tollgate_requests_total', outcome('succeeded'))).toBe(1)
})

describe('the address of the metrics', () => {
  test('is told at the start', () => {
    expect(gateway.stdout.concat(gateway.stderr).join('\n')).toContain(
      `"metrics":"http://127.0.0.1:${metricsPort}/metrics"`,
    )
  })

  test('in use: the program does not start, and says what to do', async () => {
    using other = createTempDir()
    const port = await freePort()
    const config = other.join('tollgate.yaml')
    await Bun.write(config, yaml(`127.0.0.1:${port}`))
    const { exitCode, stderr } = await runBinary(['serve', '--config', config], { cwd: other.path })
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`Port ${metricsPort} on 127.0.0.1 is in use.`)
    expect(stderr).toContain('server.metrics')
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})
