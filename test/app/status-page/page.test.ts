import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dayMs, hourMs, type MadeMinute, minuteMs, startStatusScene } from './scene.ts'

// The status page of the whole app, over HTTP, with availability that is made up.

const script = '<script>alert(1)</script>'
const official = '默认【官转·稳定】'
const site = {
  ...{ name: 'Tor <1> & "2"', base_url: 'https://gw.example.com' },
  ...{ status_url: 'https://status.example.com', price_backup_url: 'https://backup.example.com' },
}
const groups = [
  { name: official, description: 'Official channels' },
  { name: 'slow', description: '"><img src=x onerror=alert(1)>' },
  { name: 'broken' },
  { name: 'recovered' },
  { name: script },
]
const minutes: readonly MadeMinute[] = [
  { group: official, agoMs: minuteMs, succeeded: 100, mistaken: 50 },
  { group: 'slow', agoMs: minuteMs, succeeded: 80, failed: 20 },
  { group: 'broken', agoMs: minuteMs, succeeded: 1, failed: 9 },
  { group: 'broken', agoMs: hourMs, succeeded: 0, failed: 10 },
  { group: 'recovered', agoMs: minuteMs, succeeded: 500 },
  { group: 'recovered', agoMs: 3 * hourMs, succeeded: 10, failed: 90 },
  { group: 'recovered', agoMs: 40 * dayMs, succeeded: 10, failed: 90 },
]

let scene: Awaited<ReturnType<typeof startStatusScene>>
beforeAll(async () => {
  scene = await startStatusScene({ site, groups, minutes })
})
afterAll(() => scene[Symbol.asyncDispose]())

/** What a reader sees: no tags. */
const textOf = (html: string) =>
  html
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

/** What is said of a group between its name and the next one. */
async function cardOf(name: string): Promise<string> {
  const html = await scene.page()
  const cards = html.match(/<section .*?<\/section>/gs) ?? []
  const found = cards.filter((card) => card.includes(`<h3><bdi>${Bun.escapeHTML(name)}</bdi>`))
  expect(found).toHaveLength(1)
  return textOf(found[0] ?? '')
}

test('tells of each group how it is, by what was measured', async () => {
  expect(textOf(await scene.page())).toContain('1 of 5 groups is down, 1 is degraded')
  expect(await cardOf(official)).toMatch(/Working Official channels 24 hours 100%/)
  expect(await cardOf('slow')).toMatch(/Degraded .* 24 hours 80\.00% .* Last hour 80\.00%/)
  expect(await cardOf('broken')).toMatch(/Down .*24 hours 5\.00% .*Last hour 10\.00%/)
  expect(await cardOf('recovered')).toMatch(/Working .*24 hours 85\.00% .*Last hour 100%/)
  const nothing = await cardOf(script)
  expect(nothing).toMatch(/No data No request was measured in 90 days/)
  expect(nothing).not.toMatch(/\d%/)
})

test('tells the times and the speed of streams, and the models', async () => {
  const card = await cardOf(official)
  expect(card).toMatch(
    /Output speed 58\.3 tokens\/s First token half within 400 ms, 95% within 970 ms/,
  )
  expect(card).toMatch(/1 model .*gpt-5-mini Working 100% 100% 400 ms 58\.3 tokens\/s/)
})

test('tells incidents: what goes on, and what is over', async () => {
  const [, incidents = ''] = textOf(await scene.page()).split(' Incidents ')
  const [told = ''] = incidents.split(' How this is measured ')
  expect(told).toStartWith('Since 18 Oct 2026 15:00 UTC, latest first.')
  expect(told).toContain('slow degraded since 22 Nov 2026 14:00 UTC 20 of 100 requests failed')
  expect(told).toContain('broken down since 22 Nov 2026 13:00 UTC 19 of 20 requests failed')
  expect(told).toContain(
    'recovered down 22 Nov 2026 11:00 – 12:00 UTC 90 of 100 requests failed · 10.00% succeeded 1 hour',
  )
  expect(told.match(/requests failed/g)).toHaveLength(3)
})

test('names are text, the page has no script, and the browser is told to run none', async () => {
  const response = await scene.ask()
  const html = await response.text()
  expect(html.includes(script)).toBe(false)
  expect(html.includes('Tor <1>')).toBe(false)
  expect(html.includes(Bun.escapeHTML(script))).toBe(true)
  expect(/<script|<img|<iframe|<object|@import|url\(|\bsrc="/i.test(html)).toBe(false)
  for (const [link] of html.matchAll(/<link [^>]*>/g))
    expect(link).toMatch(/^<link rel="(icon|canonical|alternate)" /)
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('script-src')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect([...response.headers.keys()].join()).not.toContain('access-control')
})

test('refreshes itself every minute, unless it is asked not to', async () => {
  expect((await scene.ask()).headers.get('refresh')).toBe('60')
  expect((await scene.ask('/status?refresh=off')).headers.get('refresh')).toBeNull()
  expect(await scene.page()).toContain('href="?lang=en&amp;refresh=off"')
})

describe('the language', () => {
  const languageOf = async (query: string, accept: string) => {
    const response = await scene.ask(`/status${query}`, { headers: { 'accept-language': accept } })
    const html = await response.text()
    expect(response.headers.get('vary')).toBe('accept-encoding, accept-language, cookie')
    return [response.headers.get('content-language'), /<html lang="(.*?)">/.exec(html)?.[1]]
  }

  test.each([
    ['', 'en-US,en;q=0.9', 'en'],
    ['', 'zh-CN,zh;q=0.9,en;q=0.8', 'zh-Hans'],
    ['?lang=zh', 'en', 'zh-Hans'],
    ['?lang=en', 'zh', 'en'],
    ['', 'de', 'en'],
  ])('%p with %p is %s', async (query, accept, language) => {
    expect(await languageOf(query, accept)).toEqual([language, language])
  })

  test('has a tag of its own', async () => {
    const tagOf = async (query: string) => (await scene.ask(`/status${query}`)).headers.get('etag')
    const [english, chinese] = [await tagOf('?lang=en'), await tagOf('?lang=zh')]
    expect(english).not.toBe(chinese)
    const asked = { 'if-none-match': english ?? '' }
    expect((await scene.ask('/status?lang=en', { headers: asked })).status).toBe(304)
    expect((await scene.ask('/status?lang=zh', { headers: asked })).status).toBe(200)
  })
})

test('HEAD, tags of both encodings, and 304 for whoever has this version', async () => {
  const tags = new Set<string>()
  for (const encoding of ['identity', 'gzip']) {
    const headers = { 'accept-encoding': encoding }
    const got = await scene.ask('/status', { headers })
    expect(got.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
    expect((await got.text()).length).toBeGreaterThan(5_000)
    const etag = got.headers.get('etag') ?? ''
    const head = await scene.ask('/status', { headers, method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag])
    const same = await scene.ask('/status', { headers: { ...headers, 'if-none-match': etag } })
    expect([same.status, await same.text()]).toEqual([304, ''])
    expect(same.headers.get('vary')).toBe('accept-encoding, accept-language, cookie')
    expect(same.headers.get('content-security-policy')).toContain("default-src 'none'")
    tags.add(etag)
  }
  expect(tags.size).toBe(2)
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  '%s is a page that is not there',
  async (method) => {
    const response = await scene.ask('/status', { method })
    expect([response.status, await response.text()]).toEqual([404, '404 page not found'])
  },
)

describe('hosts', () => {
  const statusOf = async (host: string, path: string, method = 'GET') => {
    const response = await scene.ask(path, { method, headers: { host } })
    const text = await response.text()
    return [response.status, text.includes('Incidents')]
  }

  test.each([
    ['status.example.com', '/', true],
    ['status.example.com', '/?lang=en', true],
    ['status.example.com', '/status', true],
    ['gw.example.com', '/status', true],
    ['backup.example.com', '/status', true],
    ['backup.example.com', '/', false],
    ['status.example.com', '/docs', false],
    ['status.example.com', '/v1/models', false],
  ])('%s%s: %p', async (host, path, isThere) => {
    expect(await statusOf(host, path)).toEqual([isThere ? 200 : 404, isThere])
  })

  test('HEAD is answered on the front page, other methods are not', async () => {
    expect(await statusOf('status.example.com', '/', 'HEAD')).toEqual([200, false])
    expect(await statusOf('status.example.com', '/', 'POST')).toEqual([404, false])
  })

  test('all that the page links to is there, on its own host, too', async () => {
    const html = await scene.page()
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link)
    for (const link of new Set(links)) {
      if (link.startsWith('#')) expect(html.includes(`id="${link.slice(1)}"`)).toBe(true)
      else if (link.startsWith('?')) expect(link).toMatch(/^\?lang=(en|zh)(&amp;refresh=off)?$/)
      // What this host does not have is on the gateway's own.
      else if (link.startsWith('https:')) expect(link).toStartWith(`${site.base_url}/`)
      else {
        const response = await scene.ask(link, { headers: { host: 'status.example.com' } })
        expect([link, response.status]).toEqual([link, 200])
      }
    }
    expect(links).toContain(`${site.base_url}/pricing/provider-pricing.json`)
    expect(links).toContain(`${site.base_url}/models`)
  })
})

test('is made anew after five seconds, with the time at which its figures held', async () => {
  await using own = await startStatusScene({ groups: [{ name: 'g' }] })
  const tag = async () => (await own.ask()).headers.get('etag')
  const first = await tag()
  own.wait(4_999)
  expect(await tag()).toBe(first)
  expect(await own.page()).toContain('<time datetime="2026-11-22T14:20:30Z">')
  own.wait(1)
  expect(await tag()).not.toBe(first)
  expect(await own.page()).toContain('<time datetime="2026-11-22T14:20:35Z">')
  expect(own.complaints).toEqual([])
})

test('100 groups of 50 models are less than 60 KB, from a real database', async () => {
  const many = Array.from({ length: 100 }, (_, at) => ({ name: `第${at}组【官转·稳定】` }))
  const models = Array.from({ length: 50 }, (_, at) => `vendor/model-${at}-instruct`)
  const made = many.flatMap(({ name }) =>
    models.map((model, at) => ({ group: name, model, agoMs: minuteMs, succeeded: 9 + at })),
  )
  await using own = await startStatusScene({ groups: many, models, minutes: made })
  for (const language of ['en', 'zh']) {
    const html = await own.page(`?lang=${language}`)
    expect(Buffer.byteLength(html)).toBeLessThan(60_000)
    for (const { name } of many) expect(html.includes(name)).toBe(true)
  }
})
