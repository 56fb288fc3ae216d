import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { applyConfig } from '../../src/app/apply.ts'
import { ask as askModel } from '../e2e/caller.ts'
import { allDialects } from '../e2e/dialects.ts'
import { startHesitating } from '../e2e/hesitating.ts'
import { until } from '../e2e/until.ts'
import { lendPlace } from '../support/empty-store.ts'
import { startFakeUpstream } from '../support/fake-upstream.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { configOf, openConfigured, startServing } from './serving.ts'

// What load balancers ask, through the whole app.

const upstream = { upstream: 'http://127.0.0.1:1' }
const ask = (url: string, method = 'GET', key = '') =>
  fetch(url, { method, headers: { 'x-api-key': key }, proxy: false })

async function told(url: string) {
  const answer = await ask(url)
  return [answer.status, await answer.text()]
}

test.each([
  ['/livez', 'alive\n'],
  ['/readyz', 'ready\n'],
])('%s is open to all, for GET and HEAD, and is never kept', async (path, text) => {
  await using gateway = await startServing(upstream)
  const url = gateway.serving.url + path
  for (const method of ['GET', 'HEAD']) {
    const answer = await ask(url, method)
    expect([answer.status, await answer.text()]).toEqual([200, method === 'GET' ? text : ''])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  }
  for (const wrong of [ask(url, 'POST'), ask(`${url}/`), ask(`${url}/x`)]) {
    const answer = await wrong
    expect([answer.status, await answer.text()]).toEqual([404, '404 page not found'])
  }
})

test('without a place for its spool it serves, and says so', async () => {
  using folder = createTempDir()
  const server = { spool: folder.join('nowhere', 'spool') }
  const gateway = await startServing({ ...upstream, store: folder.join('gate.db'), server })
  expect(await told(`${gateway.serving.url}/readyz`)).toEqual([
    200,
    'ready\nthere is no spool, for its folder can not be written: see the log\n',
  ])
  expect(gateway.complaints.join()).toContain(`The spool ${server.spool} can not be written`)
  await gateway.serving.stop()
})

test('a database that is gone: alive, but not ready', async () => {
  const gateway = await startServing(upstream)
  await gateway.instance.store.close()
  expect(await told(`${gateway.serving.url}/readyz`)).toEqual([
    503,
    'the database does not answer\n',
  ])
  expect(await told(`${gateway.serving.url}/livez`)).toEqual([200, 'alive\n'])
  await gateway.serving.stop()
})

test('a database that is read, but not written: not ready until what has ended is stored', async () => {
  await using models = startFakeUpstream(() => Response.json({ choices: [], usage: {} }))
  const folder = createTempDir()
  const path = folder.join('gate.db')
  const gateway = await startServing({ upstream: models.url, store: path })
  const { url } = gateway.serving
  const other = new Database(path)
  other.run('BEGIN IMMEDIATE')
  const body = { model: 'test-model', messages: [{ role: 'user', content: 'Hello' }] }
  expect((await gateway.ask('/v1/chat/completions', body)).status).toBe(500)
  const failed = 'the failure to be kept'
  await until(failed, async () => (await told(`${url}/readyz`))[0] === 503)
  expect(await told(`${url}/readyz`)).toEqual([503, 'the database takes no writing\n'])
  expect(await told(`${url}/livez`)).toEqual([200, 'alive\n'])
  other.run('COMMIT')
  other.close()
  await until('it to be stored', async () => (await told(`${url}/readyz`))[0] === 200)
  await gateway.serving.stop()
  folder.remove()
})

test('a stop is told first; requests are taken until the delay is over, then the port closes', async () => {
  await using models = startFakeUpstream(() => Response.json({ choices: [], usage: {} }))
  const gateway = await startServing({ upstream: models.url, server: { shutdown_delay: '2s' } })
  const { url } = gateway.serving
  const began = performance.now()
  const stopped = gateway.serving.stop()
  expect(await told(`${url}/readyz`)).toEqual([503, 'draining: the gateway is about to stop\n'])
  expect(await told(`${url}/livez`)).toEqual([200, 'alive\n'])
  const body = { model: 'test-model', messages: [{ role: 'user', content: 'Hello' }] }
  expect((await gateway.ask('/v1/chat/completions', body)).status).toBe(200)
  await stopped
  expect(performance.now() - began).toBeGreaterThan(1_950)
  expect(ask(`${url}/livez`)).rejects.toThrow()
})

test('while it drains, no connection is kept for another request', async () => {
  const { upstream: models, go } = startHesitating({ input: 10, output: 5 })
  await using _ = models
  go()
  const gateway = await startServing({ upstream: models.url, server: { shutdown_delay: '1h' } })
  const { url } = gateway.serving
  const areKept = async () => {
    const answers = await Promise.all([
      ...allDialects.flatMap((one) => [askModel(url, one, true), askModel(url, one, false)]),
      ...['/livez', '/nothing', '/status', '/console/'].map((path) => ask(url + path)),
    ])
    await Promise.all(answers.map((answer) => answer.text()))
    return answers.map(({ headers }) => headers.get('connection') !== 'close')
  }
  const count = 2 * allDialects.length + 4
  expect(await areKept()).toEqual(Array(count).fill(true))
  const stopped = gateway.serving.stop()
  expect(await areKept()).toEqual(Array(count).fill(false))
  await gateway.serving.stop()
  await stopped
})

test('a second stop cuts the delay short', async () => {
  const gateway = await startServing({ ...upstream, server: { shutdown_delay: '1h' } })
  const stopped = gateway.serving.stop()
  expect((await told(`${gateway.serving.url}/readyz`))[0]).toBe(503)
  await gateway.serving.stop()
  await stopped
})

test('what another process changes is still followed while it drains', async () => {
  await using place = await lendPlace()
  const options = { ...upstream, store: place.store }
  const gateway = await startServing({ ...options, server: { shutdown_delay: '1h' } })
  void gateway.serving.stop()
  const changed = configOf(tollgateYaml({ ...options, token: { enabled: false } }))
  const other = await openConfigured(changed)
  await applyConfig(other, changed, { prune: false })
  await other.store.close()
  await until('the token to be refused', async () => {
    const answer = await ask(`${gateway.serving.url}/v1/models`, 'GET', testKey)
    return answer.status === 401
  })
  await gateway.serving.stop()
})
