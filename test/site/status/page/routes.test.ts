import { beforeEach, expect, test } from 'bun:test'
import type { Catalog } from '../../../../src/catalog/catalog.ts'
import { createLogger } from '../../../../src/lib/log.ts'
import { answerPage } from '../../../../src/site/routes.ts'
import { createStatusPages } from '../../../../src/site/status/pages.ts'
import { catalogOf, tokenTerms } from '../../feed/catalogs.ts'
import { siteNamed } from '../../frame-site.ts'
import { figuresOf } from '../figures.ts'

const first = Date.UTC(2026, 10, 22, 8)
const models = [{ id: 'm', terms: tokenTerms(1, 1) }]

let now = first
let looks = 0
let isBroken = false
let siteName = 'a gateway'
let catalog: Catalog
let complaints: string[] = []
let pages: ReturnType<typeof createStatusPages>
const log = createLogger({
  ...{ sink: (line) => complaints.push(line), pretty: false, level: 'error' },
  clock: () => now,
})

beforeEach(() => {
  now = first
  looks = 0
  isBroken = false
  complaints = []
  catalog = catalogOf([{ name: 'one' }], models)
  pages = createStatusPages({
    source: {
      async look(work) {
        looks++
        if (isBroken) throw new Error('the disk is gone')
        return work(figuresOf([]))
      },
    },
    ...{ groups: () => catalog.groups, site: () => siteNamed(siteName), clock: () => now, log },
  })
})

const ask = (query = '', headers: Record<string, string> = {}) =>
  answerPage(pages, new Request(`http://localhost/status${query}`, { headers }))

test('a thousand readers at once make it one time in each language, and again after five seconds', async () => {
  const readers = Array.from({ length: 1_000 }, (_, at) => pages.page(at % 2 ? 'en' : 'zh'))
  expect(new Set(await Promise.all(readers)).size).toBe(2)
  expect(looks).toBe(2)
  now += 4_999
  await ask('?lang=en')
  await ask('?lang=zh&refresh=off')
  expect(looks).toBe(2)
  now += 1
  await Promise.all(Array.from({ length: 100 }, () => ask('?lang=en')))
  expect(looks).toBe(3)
})

test('another catalog is seen at once; another name of the site with the next page', async () => {
  expect(await (await ask()).text()).toContain('<bdi>one</bdi>')
  catalog = catalogOf([{ name: 'two' }], models)
  siteName = 'another gateway'
  const html = await (await ask()).text()
  expect(html).toContain('<bdi>two</bdi>')
  expect(html).toContain('<bdi>another gateway</bdi>')
})

test('without any figures yet: 503, and no page that could be taken for one', async () => {
  isBroken = true
  const response = await ask()
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('60')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('refresh')).toBe('60')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(complaints.join()).toContain('the disk is gone')
})

test('figures that can not be read leave the last page in place, with the time at which they held', async () => {
  await ask()
  isBroken = true
  now += 60_000
  const response = await ask()
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('<time datetime="2026-11-22T08:00:00Z">')
})
