import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { createValidator } from '../site/schemas/ajv.ts'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { until } from './until.ts'

// The plaza, the public settings, the schemas and the documentation, through the compiled program.

const plazaPath = '/api/v1/model-plaza'
const settingsPath = '/api/v1/settings/public'
const groupName = '默认【官转·稳定】'
const site = {
  name: 'My gateway',
  base_url: 'https://gw.example.com',
  status_url: 'https://status.example.com',
  plaza_description: 'Preise in USD',
  custom_endpoints: [{ name: 'Asia', endpoint: 'https://asia.example.com' }],
}

/** Three groups and every kind of price; `settings` go into the section of that name. */
function yaml(listen: string, settings: object = {}): string {
  const base = tollgateYaml({
    listen,
    upstream: 'http://127.0.0.1:1',
    models: ['gpt-5-mini', 'long', 'painter', 'house-llm'],
    group: { name: groupName, rate_multiplier: 0.8, platform: 'openai' },
    token: { group: groupName },
    moreGroups: [
      { name: 'cheap', channels: ['main'], rate_multiplier: 0.123457, models: ['long'] },
      { name: 'off', channels: ['main'], enabled: false },
      { name: 'empty', channels: ['main'], models: ['unknown'] },
    ],
    prices: {
      'gpt-5-mini': { input: 0.25, output: 2, cache_read: 0.025 },
      long: {
        input: 0.333333,
        output: 123.456789,
        cache_write: 0.000001,
        tiers: [{ above: 200_000, input: 2.5, output: 15 }],
      },
      painter: { per_call: 0.000000001 },
      'house-llm': { free: true },
    },
    settings: { feed_interval: '1s', ...settings },
  })
  return stringify({ ...parse(base), site })
}

let gateway: RunningBinary
beforeAll(async () => {
  gateway = await startBinary({ config: (listen) => yaml(listen), env: { TZ: 'Asia/Shanghai' } })
})
afterAll(() => gateway.stop())

const ask = (path: string, init: BunFetchRequestInit = {}) =>
  fetch(gateway.url + path, { ...init, proxy: false })

interface Written {
  readonly [field: string]: string
}

/** A document with its numbers as they stand there, not as a double reads them. */
async function written(path: string) {
  const text = await (await ask(path)).text()
  return JSON.parse(text.replace(/(":)(\d[\d.]*)(?=[,}])/g, '$1"$2"')).data
}

/** A plain decimal as an integer of 10^-`decimals`. */
function scaled(text: string | undefined, decimals: number): bigint {
  if (!text || !/^\d+(\.\d+)?$/.test(text)) throw new Error(`${text} is no plain decimal`)
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

test('plaza × multiplier = feed, digit by digit, for every entry', async () => {
  const pairs = {
    input_price: 'input_price',
    output_price: 'output_price',
    cache_read_price: 'cache_input_price',
    cache_write_price: 'cache_create_price',
    cache_write_1h_price: 'cache_create_price_1h',
  }
  const feed: Written[] = (await written('/pricing/provider-pricing.json')).models
  const { groups } = await written(plazaPath)
  const bases = new Map<string, Written>()
  for (const group of groups)
    for (const { name, pricing } of group.models)
      bases.set(`${group.name}/${name}`, { ...pricing, multiplier: group.rate_multiplier })
  const callable = feed.filter(({ enabled }) => enabled as unknown as boolean)
  expect(callable.length).toBe(5)
  expect([...bases.keys()].toSorted()).toEqual(
    callable.map((entry) => `${entry.group_name}/${entry.model_name}`).toSorted(),
  )
  for (const entry of callable) {
    const base = bases.get(`${entry.group_name}/${entry.model_name}`) ?? {}
    const fields = entry.price_unit === 'per_call' ? { per_request_price: 'unit_price' } : pairs
    for (const [from, to] of Object.entries(fields)) {
      // Per token there, per 1M tokens here.
      const decimals = to === 'unit_price' ? 24 : 18
      expect(scaled(base[from], 18) * scaled(base.multiplier, 6)).toBe(scaled(entry[to], decimals))
    }
  }
})

test('the plaza is the document of CONTRACT 5', async () => {
  const response = await ask(plazaPath)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const { data, ...rest } = (await response.json()) as { data: { groups: { models: object[] }[] } }
  expect(rest).toEqual({ code: 0, message: 'success' })
  const long = {
    name: 'long',
    pricing: {
      billing_mode: 'token',
      input_price: 0.000000333333,
      output_price: 0.000123456789,
      cache_write_price: 0.000000000001,
      cache_write_1h_price: 0.000000000001,
      cache_read_price: 0.000000333333,
      per_request_price: null,
      intervals: [
        {
          min_tokens: 200_000,
          max_tokens: null,
          tier_label: '>200K',
          input_price: 0.0000025,
          output_price: 0.000015,
          cache_write_price: 0.0000025,
          cache_write_1h_price: 0.0000025,
          cache_read_price: 0.0000025,
          per_request_price: null,
        },
      ],
    },
    official_pricing: null,
  }
  expect(data).toMatchObject({
    description: 'Preise in USD',
    groups: [
      { name: 'cheap', rate_multiplier: 0.123457, platform: '', models: [long] },
      { name: groupName, rate_multiplier: 0.8, platform: 'openai' },
    ],
  })
  expect(data.groups[1]?.models).toMatchObject([
    { name: 'gpt-5-mini', official_pricing: { input_price: 0.00000025 } },
    { name: 'house-llm', pricing: { input_price: 0, per_request_price: null } },
    { name: 'long' },
    { name: 'painter', pricing: { per_request_price: 0.000000001, input_price: null } },
  ])
})

test('the settings say what the configuration and the process say', async () => {
  const { version } = JSON.parse((await runBinary(['version', '--json'])).stdout)
  expect(await (await ask(settingsPath)).json()).toEqual({
    code: 0,
    message: 'success',
    data: {
      site_name: 'My gateway',
      site_logo: null,
      site_accent: null,
      site_subtitle: null,
      version,
      api_base_url: 'https://gw.example.com',
      overseas_base_url: null,
      status_url: 'https://status.example.com',
      price_feed_url: 'https://status.example.com/pricing/provider-pricing.json',
      price_backup_url: null,
      custom_endpoints: [{ name: 'Asia', endpoint: 'https://asia.example.com', description: '' }],
      doc_url: null,
      contact_info: null,
      registration_enabled: false,
      model_plaza_enabled: true,
      model_plaza_require_auth: false,
      balance_low_notify_enabled: false,
      balance_low_notify_threshold: 5,
      server_timezone: 'Asia/Shanghai',
      server_utc_offset: '+08:00',
    },
  })
})

const pages = [plazaPath, settingsPath, '/schemas/plaza.json', '/docs', '/docs/json']

describe.each(pages)('%s', (path) => {
  test('has a tag for each encoding, 304 and HEAD, and no CORS headers', async () => {
    const tags = new Set<string>()
    for (const encoding of ['identity', 'gzip']) {
      const headers = { 'accept-encoding': encoding, origin: 'https://other.example.com' }
      const got = await ask(path, { headers })
      expect(got.status).toBe(200)
      expect((await got.text()).length).toBeGreaterThan(100)
      expect([...got.headers.keys()].join()).not.toContain('access-control')
      const head = await ask(path, { headers, method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      const etag = got.headers.get('etag') ?? ''
      expect(head.headers.get('etag')).toBe(etag)
      for (const mark of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const same = await ask(path, { headers: { ...headers, 'if-none-match': mark } })
        expect([same.status, await same.text()]).toEqual([304, ''])
      }
      tags.add(etag)
    }
    expect(tags.size).toBe(2)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s is a page that is not there',
    async (method) => {
      const response = await ask(path, { method })
      expect([response.status, await response.text()]).toEqual([404, '404 page not found'])
    },
  )
})

test('published and printed schemas are the same, and accept the real documents', async () => {
  const documents = {
    feed: '/pricing/provider-pricing.json',
    plaza: plazaPath,
    settings: settingsPath,
  }
  const published = async (file: string) => (await ask(`/schemas/${file}.json`)).json()
  for (const [name, path] of Object.entries(documents)) {
    const schema = await published(name)
    expect(JSON.parse((await runBinary(['schema', name])).stdout)).toEqual(schema)
    const validate = createValidator(Object(schema))
    expect(validate(await (await ask(path)).json())).toEqual([])
    expect(validate({})).not.toEqual([])
  }
  const config = await published('tollgate.yaml')
  expect(JSON.parse((await runBinary(['schema', 'config'])).stdout)).toEqual(config)
  const validate = createValidator(Object(config))
  expect(validate(parse(yaml('127.0.0.1:1')))).toEqual([])
  expect(validate({ site: { nmae: 'a' } })).not.toEqual([])
})

test('the schema command lists what it has, and names it when asked for another', async () => {
  const { stdout } = await runBinary(['schema', '--json'])
  const listed: { name: string; path: string }[] = JSON.parse(stdout)
  expect(listed.map(({ name }) => name)).toEqual(['feed', 'plaza', 'settings', 'status', 'config'])
  for (const { path } of listed) expect((await ask(path)).status).toBe(200)
  const wrong = await runBinary(['schema', 'prices'])
  expect(wrong.exitCode).toBe(2)
  expect(wrong.stderr).toContain('feed, plaza, settings, status, config')
})

test('the documentation needs no network: nothing in it is loaded from anywhere', async () => {
  const html = await (await ask('/docs')).text()
  expect(html).not.toMatch(/<img|<iframe|@import|url\(|\bsrc=|rel="(stylesheet|pre)/i)
  expect(html).not.toMatch(/<a [^>]*href="(?![#/?])/)
  const { paths } = (await (await ask('/docs/json')).json()) as { paths: object }
  for (const path of ['/v1/messages', '/v1beta/models/{model}', plazaPath, '/v1/usage'])
    expect(paths).toHaveProperty([path])
})

test('switches work on a running gateway: off, and with a key asked for', async () => {
  await using own = await startBinary({ config: (listen) => yaml(listen) })
  const file = join(own.cwd, 'tollgate.yaml')
  const get = (headers: Record<string, string> = {}) =>
    fetch(own.url + plazaPath, { headers, proxy: false })
  /** Puts settings in force; gives the first answer that shows it. */
  const change = (settings: object, status: number) => {
    writeFileSync(file, yaml(`127.0.0.1:${own.port}`, settings))
    process.kill(own.pid, 'SIGHUP')
    return until(`status ${status}`, async () => {
      const response = await get()
      return response.status === status ? response : void (await response.text())
    })
  }
  expect((await get()).status).toBe(200)

  const off = await change({ model_plaza_enabled: false }, 404)
  expect(await off.json()).toEqual({ code: 404, message: expect.any(String) })
  expect((await get({ authorization: `Bearer ${testKey}` })).status).toBe(404)

  const closed = await change({ model_plaza_require_auth: true }, 401)
  expect(closed.headers.get('x-tollgate-reason')).toBe('missing')
  expect(await closed.json()).toEqual({ code: 401, message: expect.stringContaining('API key') })
  const wrong = await get({ 'x-api-key': 'sk-unknown-0123456789' })
  expect([wrong.status, await wrong.json()]).toEqual([
    401,
    { code: 401, message: 'Invalid API key' },
  ])
  for (const header of ['x-api-key', 'x-goog-api-key', 'authorization']) {
    const key = header === 'authorization' ? `Bearer ${testKey}` : testKey
    const open = await get({ [header]: key })
    expect([open.status, open.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    const etag = open.headers.get('etag') ?? ''
    expect((await get({ 'if-none-match': etag })).status).toBe(401)
    expect((await get({ 'if-none-match': etag, [header]: key })).status).toBe(304)
  }
  await until('settings that say so', async () => {
    const response = await fetch(own.url + settingsPath, { proxy: false })
    const { data } = (await response.json()) as { data: Record<string, unknown> }
    return data.model_plaza_enabled === true && data.model_plaza_require_auth === true
  })
})
