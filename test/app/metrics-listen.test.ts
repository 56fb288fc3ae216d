import { afterEach, expect, test } from 'bun:test'
import { listenMetrics, type MetricsListening } from '../../src/app/metrics-listen.ts'
import { createProcessMemory } from '../../src/app/process-limits.ts'
import { UserError } from '../../src/app/user-error.ts'
import { buildCatalog } from '../../src/catalog/catalog.ts'
import { createRunningTotals } from '../../src/gateway/availability/availability.ts'
import { createLogger } from '../../src/lib/log.ts'
import { parseExposition } from '../support/exposition.ts'

const host = '127.0.0.1'
let listening: MetricsListening | undefined
let complaints: string[] = []
afterEach(async () => {
  await listening?.close()
  listening = undefined
  complaints = []
})

const log = createLogger({
  sink: (line) => complaints.push(line),
  pretty: false,
  clock: Date.now,
  level: 'info',
})

const totals = createRunningTotals()
let inFlight = () => 3
const source = {
  totals: () => totals,
  catalog: () =>
    buildCatalog(
      { channels: [], groups: [], prices: [] },
      () => [],
      () => '',
    ),
  requestsInFlight: () => inFlight(),
  streamsInFlight: () => 0,
  spooled: () => 0,
  coolings: () => [],
  memory: createProcessMemory({ memoryBytes: null }),
  slots: { refused: () => ({ requests: 0, connections: 0 }) },
  overdrawn: () => undefined,
  load: () => ({}),
  membership: undefined,
}

function start() {
  listening = listenMetrics({ host, port: 0 }, source, log)
  return listening.url
}
const ask = (url: string, init: BunFetchRequestInit = {}) => fetch(url, { ...init, proxy: false })

test('metrics are at /metrics, and nothing else is there', async () => {
  const url = start()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
  const response = await ask(url)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = parseExposition(await response.text())
  expect(families.get('tollgate_requests_in_flight')?.lines[0]?.value).toBe(3)
  expect((await ask(`${url}?x=1`)).status).toBe(200)
  for (const path of ['/', '/metrics/', '/v1/models', '/api/v1/status'])
    expect([path, (await ask(new URL(url).origin + path)).status]).toEqual([path, 404])
})

test('HEAD is answered without a body; other methods are refused', async () => {
  const url = start()
  const head = await ask(url, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const post = await ask(url, { method: 'POST', body: 'x' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('many who ask at once get the same text', async () => {
  const url = start()
  const texts = await Promise.all(
    Array.from({ length: 20 }, async () => parseExposition(await (await ask(url)).text()).size),
  )
  expect(new Set(texts).size).toBe(1)
})

test('a port in use is the user’s to change: the message names it and the setting', () => {
  const taken = Number(new URL(start()).port)
  expect(() => listenMetrics({ host, port: taken }, source, log)).toThrow(
    new UserError(
      `Port ${taken} on 127.0.0.1 is in use. Stop what uses it, or give another address (server.metrics).`,
    ),
  )
})

test('an address of another machine is named, too', () => {
  expect(() => listenMetrics({ host: '192.0.2.1', port: 9464 }, source, log)).toThrow(
    /Cannot listen on 192\.0\.2\.1:9464: this machine has no such address\. .* \(server\.metrics\)/,
  )
})

test('what can not be read is told without details, and logged', async () => {
  const url = start()
  inFlight = () => {
    throw new Error('a secret reason')
  }
  const response = await ask(url)
  inFlight = () => 3
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('secret')
  expect(complaints.join()).toContain('a secret reason')
  expect((await ask(url)).status).toBe(200)
})

test('closed, it answers no more', async () => {
  const url = start()
  await listening?.close()
  await expect(ask(url)).rejects.toThrow()
})
