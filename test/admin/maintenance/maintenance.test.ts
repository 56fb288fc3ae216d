import { afterAll, describe, expect, test } from 'bun:test'
import { planConfig } from '../../../src/app/apply.ts'
import { loadConfig } from '../../../src/app/config/load.ts'
import { startConsoleScene } from '../../support/console-scene.ts'
import { testKey, upstreamKey } from '../../support/tollgate-yaml.ts'

const proxy = 'http://user:proxy-secret@proxy.example.com:3128'
const secondKeys = ['second-upstream-key', 'third-upstream-key']
const scene = await startConsoleScene({
  settings: { max_attempts: 3, queue_time: '1s' },
  prices: {
    'other-model': {
      input: 0.5,
      output: 1.25,
      cache_read: 0.05,
      tiers: [{ above: 200_000, input: 1, output: 2.5 }],
      context_window: 1_000_000,
      note: `not a $\${REFERENCE}`,
    },
    'per-call': { per_call: 0.04 },
    'house-llm': { free: true },
  },
  group: { rate_multiplier: 0.7, limits: { rpm: 100 }, description: '【特价】: "quoted" # text' },
  token: { budget: { day: 5 }, limits: { concurrency: 3 }, ip_allow: ['10.0.0.0/8'] },
  moreChannels: [
    {
      name: '备用 渠道',
      speaks: { chat: 'https://second.example.com/v1' },
      api_keys: secondKeys,
      models: [{ id: 'fast', upstream: 'house-llm' }, 'per-call'],
      proxy,
      probe: { every: '60s' },
      priority: 5,
    },
  ],
})
afterAll(scene.stop)

const exported = async () => (await scene.send('admin', 'GET', '/api/v1/admin/config.yaml')).text()

describe('who may', () => {
  const routes = [
    ['GET', 'config.yaml', undefined],
    ['GET', 'jobs', undefined],
    ['POST', 'jobs', { kind: 'verify' }],
    ['GET', 'jobs/x', undefined],
    ['DELETE', 'jobs/x', undefined],
    ['GET', 'backups', undefined],
    ['POST', 'backups/x/download', { password: 'x' }],
    ['GET', 'backups/x/download/y', undefined],
    ['DELETE', 'backups/x', undefined],
  ] as const
  for (const [method, path, body] of routes) {
    test(`${method} ${path}: administrators only`, async () => {
      const at = `/api/v1/admin/${path}`
      expect((await scene.send(null, method, at, body)).status).toBe(401)
      expect((await scene.send('user', method, at, body)).status).toBe(403)
    })
  }
})

describe('the configuration as a file', () => {
  test('has no secret in it', async () => {
    const text = await exported()
    for (const secret of [testKey, upstreamKey, ...secondKeys, 'proxy-secret', 'argon2']) {
      expect(text).not.toContain(secret)
    }
    // The hint tells which token it is.
    expect(text).toContain('# sk-te…mnop')
  })

  test('is what the gateway is, once its secrets are given', async () => {
    const env: Record<string, string> = {
      CHANNEL_MAIN_KEY: upstreamKey,
      CHANNEL_KEY: secondKeys[0] ?? '',
      CHANNEL_KEY_2: secondKeys[1] ?? '',
      CHANNEL_PROXY: proxy,
      TOKEN_1_KEY: testKey,
    }
    const loaded = loadConfig({ text: await exported(), file: '/nowhere/tollgate.yaml', env })
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
    const { store, secrets } = scene
    const instance = { store, secrets, warnings: [] }
    const { changes } = await planConfig(instance, loaded.config, { prune: true })
    expect(changes).toEqual([])
    expect(loaded.config.settings).toMatchObject({ maxAttempts: 3, queueTimeMs: 1000 })
    const price = loaded.config.prices.find(({ model }) => model === 'other-model')
    expect(price?.note).toBe(`not a \${REFERENCE}`)
  })

  test('is a download', async () => {
    const { headers } = await scene.send('admin', 'GET', '/api/v1/admin/config.yaml')
    expect(headers.get('content-disposition')).toBe('attachment; filename="tollgate.yaml"')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

test('a database in memory has neither jobs nor backups', async () => {
  const { status, reason, message } = await scene.ask('admin', 'POST', '/api/v1/admin/jobs', {
    kind: 'backup',
  })
  expect([status, reason]).toEqual([503, 'unavailable'])
  expect(message).toContain('in memory only')
  const { data } = await scene.ask('admin', 'GET', '/api/v1/admin/backups')
  expect(data).toEqual({ folder: null, items: [] })
})
