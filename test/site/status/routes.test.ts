import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { statusPath, statusRoutes } from '../../../src/site/routes.ts'
import { createStatusPages } from '../../../src/site/status/pages.ts'
import type { StatusDocument } from '../../../src/site/status/schema.ts'
import { catalogOf, tokenTerms } from '../feed/catalogs.ts'
import { siteNamed } from '../frame-site.ts'
import { figuresOf } from './figures.ts'

const first = Date.UTC(2026, 10, 22, 8)
const models = [{ id: 'm', terms: tokenTerms(1, 1) }]
const usual = () => catalogOf([{ name: '默认 &1' }, { name: 'off', status: 'disabled' }], models)

let now = first
let succeeded = 1
let looks = 0
let isBroken = false
let catalog: Catalog = usual()
let complaints: string[] = []
const log = createLogger({
  sink: (line) => complaints.push(line),
  pretty: false,
  clock: () => now,
  level: 'error',
})

let pages: ReturnType<typeof createStatusPages>
beforeEach(() => {
  now = first
  looks = 0
  isBroken = false
  catalog = usual()
  complaints = []
  pages = createStatusPages({
    source: {
      async look(work) {
        looks++
        await new Promise((resolve) => setTimeout(resolve, 5))
        if (isBroken) throw new Error('the disk is gone')
        const counts = { '5m': { succeeded } }
        return work(figuresOf([{ groupId: 1, model: 'm', counts }]))
      },
    },
    groups: () => catalog.groups,
    site: () => siteNamed('a gateway'),
    clock: () => now,
    log,
  })
})

const server = new Elysia({ strictPath: true })
  .use(statusRoutes({ current: (group) => pages.current(group) }))
  .listen({ hostname: '127.0.0.1', port: 0, reusePort: false, development: false })
afterAll(() => server.stop(true))

const ask = (query = '', init: BunFetchRequestInit = {}) =>
  fetch(`http://127.0.0.1:${server.server?.port}${statusPath}${query}`, { ...init, proxy: false })

async function requests(query = ''): Promise<number | undefined> {
  const { data } = (await (await ask(query)).json()) as StatusDocument
  return data.groups[0]?.availability['1h'].requests
}

test('GET and HEAD, with a tag, 304 for whoever has this version, and no CORS', async () => {
  const got = await ask('', { headers: { origin: 'https://other.example.com' } })
  expect(got.status).toBe(200)
  expect(got.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect([...got.headers.keys()].join()).not.toContain('access-control')
  expect(await got.json()).toMatchObject({ code: 0, message: 'success', data: { groups: [{}] } })
  const etag = got.headers.get('etag') ?? ''
  const unchanged = await ask('', { headers: { 'if-none-match': etag } })
  expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
  const head = await ask('', { method: 'HEAD' })
  expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag])
})

test('a thousand readers at once make it one time, and again after five seconds', async () => {
  const all = await Promise.all(Array.from({ length: 1_000 }, () => pages.current(null)))
  expect(new Set(all).size).toBe(1)
  expect(looks).toBe(1)
  succeeded = 2
  now += 4_999
  expect(await requests()).toBe(1)
  now += 1
  await Promise.all(Array.from({ length: 1_000 }, () => pages.current(null)))
  expect(await requests()).toBe(2)
  expect(looks).toBe(2)
  succeeded = 1
})

test('nobody asks: it is not made', async () => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(looks).toBe(0)
})

test('another catalog is seen at once', async () => {
  expect(await requests()).toBe(1)
  catalog = catalogOf([{ name: 'renamed' }], models)
  const { data } = (await (await ask()).json()) as StatusDocument
  expect(data.groups.map(({ name }) => name)).toEqual(['renamed'])
})

describe('one group', () => {
  test('is asked for by its name', async () => {
    const query = `?group=${encodeURIComponent('默认 &1')}`
    const { data } = (await (await ask(query)).json()) as StatusDocument
    expect(data.groups.map(({ name }) => name)).toEqual(['默认 &1'])
    expect(await requests(query)).toBe(1)
    expect(looks).toBe(1)
  })

  test.each(['nobody', 'off', '', 'constructor'])(
    '%p is not there: 404, and no work',
    async (name) => {
      const response = await ask(`?group=${name}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({ code: 404, message: 'There is no such group.' })
      expect(looks).toBe(0)
    },
  )
})

describe('figures that can not be read', () => {
  test('are 503 with Retry-After while there were none before', async () => {
    isBroken = true
    const response = await ask()
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('60')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ code: 503 })
    expect(complaints.join()).toContain('the disk is gone')
    isBroken = false
    now += 5_000
    expect(await requests()).toBe(1)
  })

  test('leave the last ones in place, with the time at which they held', async () => {
    expect(await requests()).toBe(1)
    isBroken = true
    now += 60_000
    const { data } = (await (await ask()).json()) as StatusDocument
    expect(data.generated_at).toBe(new Date(first).toISOString())
  })
})
