import { afterAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { createLogger } from '../../../src/lib/log.ts'
import { createFeedBuilder } from '../../../src/site/feed/document.ts'
import type { FeedDocument } from '../../../src/site/feed/schema.ts'
import { validateFeed } from '../../../src/site/feed/validate.ts'
import { createPublication } from '../../../src/site/published.ts'
import { feedPaths, feedRoutes } from '../../../src/site/routes.ts'
import { catalogOf, tokenTerms } from './catalogs.ts'

let now = Date.UTC(2026, 10, 21, 12)
let isBroken = false
let input = 1_000_000
const log = createLogger({ sink: () => {}, pretty: false, clock: () => now, level: 'error' })
const group = { name: '默认【官转·稳定】', multiplierMillionths: 800_000 }

function catalog() {
  if (isBroken) throw new Error('no catalog')
  return catalogOf([group], [{ id: 'model', terms: tokenTerms(input, 2_000_000) }])
}

const site = () => ({ name: 'My gateway', domain: 'gateway.example.com', currency: 'CNY' })
const createFeed = () => {
  const build = createFeedBuilder({ catalog, site, clock: () => now })
  return createPublication({ name: 'feed', build, clock: () => now, log })
}
type Feed = ReturnType<typeof createFeed>

function startServer(feed: Feed) {
  const app = new Elysia({ strictPath: true }).use(feedRoutes(feed))
  app.listen({ hostname: '127.0.0.1', port: 0, reusePort: false, development: false })
  return { url: `http://127.0.0.1:${app.server?.port}`, stop: () => app.stop(true) }
}

const feed = createFeed()
await feed.refresh()
const server = startServer(feed)
afterAll(server.stop)

const ask = (path: string, init: BunFetchRequestInit = {}) =>
  fetch(server.url + path, { ...init, proxy: false })

const noCors = (response: Response) =>
  expect(
    [...response.headers.keys()].filter((name) => /^access-control|^timing/.test(name)),
  ).toEqual([])

describe.each(feedPaths)('%s', (path) => {
  test('GET and HEAD have the same headers, and HEAD no body', async () => {
    for (const encoding of ['identity', 'gzip']) {
      const headers = { 'accept-encoding': encoding, origin: 'https://other.example.com' }
      const got = await ask(path, { headers, decompress: false })
      const head = await ask(path, { headers, method: 'HEAD' })
      expect((await got.bytes()).length).toBe(Number(got.headers.get('content-length')))
      expect(await head.text()).toBe('')
      for (const name of ['etag', 'last-modified', 'content-length', 'content-type', 'vary'])
        expect(head.headers.get(name)).toBe(got.headers.get(name))
      expect(head.status).toBe(200)
      noCors(got)
      noCors(head)
    }
  })

  test.each(['OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'])(
    '%s is refused',
    async (method) => {
      const headers = {
        origin: 'https://other.example.com',
        'access-control-request-method': 'GET',
      }
      const response = await ask(path, { method, headers })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('GET, HEAD')
      noCors(response)
    },
  )

  test('304 has no body, the tag, and the length of nothing', async () => {
    const { headers } = await ask(path)
    const etag = headers.get('etag') ?? ''
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(path, { method, headers: { 'if-none-match': `W/${etag}` } })
      expect(response.status).toBe(304)
      expect(await response.text()).toBe('')
      expect(response.headers.get('etag')).toBe(etag)
      noCors(response)
    }
  })

  test('a query changes nothing, another path is none of its own', async () => {
    expect((await ask(`${path}?t=1`)).status).toBe(200)
    expect((await ask(`${path}/`)).status).toBe(404)
    expect((await ask(path.toUpperCase())).status).toBe(404)
  })
})

test('20 builds without a change leave every byte and header; one changed price changes all three', async () => {
  const headersOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name !== 'date'))
  const before = await ask(feedPaths[0])
  const text = await before.text()
  for (let at = 0; at < 20; at++) {
    now += 120_000
    await feed.refresh()
  }
  const same = await ask(feedPaths[1])
  expect(await same.text()).toBe(text)
  expect(headersOf(same)).toEqual(headersOf(before))
  input++
  now += 120_000
  await feed.refresh()
  const after = await ask(feedPaths[0])
  const { data } = (await after.json()) as FeedDocument
  expect(data.models[0]).toMatchObject({ input_price: 0.8000008 })
  expect(data.updated_at).toBe(new Date(now).toISOString())
  expect(after.headers.get('last-modified')).toBe(new Date(now).toUTCString())
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
})

test('both addresses give whole and known versions under load while snapshots change', async () => {
  const known = new Map<string, string>()
  const learn = () => {
    const published = feed.current()
    if (published) known.set(published.etag, Buffer.from(published.body).toString())
  }
  learn()
  const seen = new Set<string>()
  let [changing, count] = [true, 0]
  const changes = (async () => {
    // On a busy machine readers come late: there are changes until they have seen some.
    for (; count < 100 || (seen.size <= 3 && count < 5_000); count++) {
      input++
      now += 1000
      await feed.refresh()
      learn()
    }
    changing = false
  })()
  const readers = Array.from({ length: 8 }, async (_, at) => {
    while (changing) {
      const response = await ask(feedPaths[at % 2] ?? '', {
        headers: { 'accept-encoding': 'identity' },
      })
      const etag = response.headers.get('etag') ?? ''
      const text = await response.text()
      expect(text).toBe(known.get(etag) ?? 'an unknown version')
      seen.add(etag)
    }
  })
  await Promise.all([changes, ...readers])
  expect(known.size).toBe(count + 1)
  expect(seen.size).toBeGreaterThan(3)
  const [main, backup] = await Promise.all(feedPaths.map(async (path) => (await ask(path)).text()))
  expect(main).toBe(backup ?? '')
})

test('before the first good document 503 says so; a broken build leaves the last good one', async () => {
  const other = createFeed()
  const own = startServer(other)
  const read = () => fetch(own.url + feedPaths[0], { proxy: false })
  try {
    isBroken = true
    await other.refresh()
    const failed = await read()
    expect(failed.status).toBe(503)
    expect(failed.headers.get('cache-control')).toBe('no-store')
    noCors(failed)
    expect(await failed.json()).toEqual({
      schema_version: '1.0',
      success: false,
      message: 'The prices are not available at present. Try again in a minute.',
      data: null,
    })
    isBroken = false
    // Asked for while the first good build is under way: the answer waits for it.
    const [, good] = await Promise.all([other.refresh(), read()])
    const text = await good.text()
    expect(validateFeed(text).ok).toBe(true)
    isBroken = true
    await other.refresh()
    expect(await (await read()).text()).toBe(text)
  } finally {
    isBroken = false
    await own.stop()
  }
})
