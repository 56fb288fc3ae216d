import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { createLogger } from '../../../src/lib/log.ts'
import { openMirrorFolder } from '../../../src/site/feed/files.ts'
import { createMirror } from '../../../src/site/feed/mirror.ts'
import { brotliOf, publish, respond } from '../../../src/site/published.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

const noon = Date.UTC(2026, 10, 21, 12)

/** A feed with one price, of a site. */
const feedOf = (price: unknown, site = 'My gateway', domain = 'gateway.example.com') =>
  JSON.stringify({
    schema_version: '1.0',
    success: true,
    message: '',
    data: {
      currency: 'CNY',
      price_unit: 'per_1m_tokens',
      site_name: site,
      site_domain: domain,
      updated_at: '2026-11-21T12:00:00Z',
      models: [
        {
          model_name: 'painter',
          group_name: '默认【官转·稳定】',
          price_unit: 'per_call',
          unit_price: price,
          enabled: true,
          note: '',
        },
      ],
    },
  })

let folder: TempDir
let lines: string[]
let answer: (request: Request) => Response | Promise<Response>
let requests: Request[]
let server: Bun.Server<undefined>

beforeEach(() => {
  folder = createTempDir()
  lines = []
  requests = []
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      requests.push(request)
      return answer(request)
    },
  })
})
afterEach(async () => {
  await server.stop(true)
  folder.remove()
})

const log = createLogger({
  sink: (line) => lines.push(line),
  pretty: false,
  clock: () => noon,
  level: 'info',
})

function open(acceptSite?: string, path = 'pricing/provider-pricing.json') {
  const origin = server.url + path
  const mirrored = openMirrorFolder(folder.path, origin)
  return createMirror({
    origin,
    folder: mirrored,
    acceptSite,
    fetch,
    clock: () => noon + 60_000,
    log,
  })
}

/** The origin gives a text as our own feed would. */
async function give(text: string, atMs = noon): Promise<void> {
  const published = await publish(text, undefined, atMs)
  answer = (request) => respond(request, published)
}

type Mirror = Awaited<ReturnType<typeof open>>
async function brotliTag(mirror: Mirror) {
  const current = mirror.current()
  return current ? (await brotliOf(current)).etag : ''
}
const textOf = (mirror: Mirror) => Buffer.from(mirror.current()?.body ?? []).toString()

test('copies byte for byte with the date of the origin, then asks on condition', async () => {
  await give(feedOf(0.04))
  const mirror = await open()
  expect(mirror.current()).toBeUndefined()
  await mirror.refresh()
  expect(textOf(mirror)).toBe(feedOf(0.04))
  const first = mirror.current()
  expect(first?.lastModified).toBe('Sat, 21 Nov 2026 12:00:00 GMT')
  expect(first?.etag).toBe((await publish(feedOf(0.04), undefined, 0)).etag)
  await mirror.refresh()
  expect(mirror.current()).toBe(first)
  expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual([
    null,
    await brotliTag(mirror),
  ])
  await give(feedOf(0.05), noon + 1000)
  await mirror.refresh()
  expect(textOf(mirror)).toBe(feedOf(0.05))
  expect(mirror.current()?.lastModified).toBe('Sat, 21 Nov 2026 12:00:01 GMT')
  expect(lines.length).toBe(2)
})

test('a restart serves the last good copy at once, and asks on condition', async () => {
  await give(feedOf(0.04))
  const before = await open()
  await before.refresh()
  const after = await open()
  expect(textOf(after)).toBe(feedOf(0.04))
  expect(after.current()).toEqual(before.current())
  await after.refresh()
  expect(requests.at(-1)?.headers.get('if-none-match')).toBe(await brotliTag(before))
  expect(after.current()).toEqual(before.current())
})

test('another origin is asked for the whole document: its tags may mean another one', async () => {
  await give(feedOf(0.04))
  const before = await open()
  await before.refresh()
  const after = await open(undefined, 'api/provider/pricing')
  expect(textOf(after)).toBe(feedOf(0.04))
  await after.refresh()
  const { headers } = requests.at(-1) as Request
  expect([headers.get('if-none-match'), headers.get('if-modified-since')]).toEqual([null, null])
})

const refusals: [string, () => Response, RegExp][] = [
  ['cut off', () => new Response(feedOf(0.05).slice(0, -20)), /should be JSON/],
  ['a web page', () => new Response('<html>'), /should be JSON/],
  [
    'a price that is no number',
    () => new Response(feedOf('cheap')),
    /unit_price: \\"cheap\\" should/,
  ],
  ['not UTF-8', () => new Response(Uint8Array.of(0xff, 0xfe)), /not UTF-8/],
  ['with a byte order mark', () => new Response(`\uFEFF${feedOf(0.05)}`), /should be JSON/],
  ['of another site', () => new Response(feedOf(0.05, 'Other')), /is of site \\"Other\\"/],
  [
    'of another domain',
    () => new Response(feedOf(0.05, 'My gateway', 'evil.example.com')),
    /\(evil\.example\.com\), but the copy is of/,
  ],
  ['an error', () => new Response('down', { status: 502 }), /answered 502: down/],
  [
    'a failure document',
    () => new Response('{"schema_version":"1.0","success":false,"message":"no","data":null}'),
    /success: false should be true/,
  ],
]
test.each(refusals)('%s: refused, told, and the last good copy served on', async (_, bad, told) => {
  await give(feedOf(0.04))
  const mirror = await open()
  await mirror.refresh()
  const good = mirror.current()
  answer = bad
  await mirror.refresh()
  expect(mirror.current()).toBe(good)
  expect(lines.at(-1)).toContain('the last good copy is served on')
  expect(lines.at(-1)).toMatch(told)
  expect(textOf(await open())).toBe(feedOf(0.04))
  await give(feedOf(0.06), noon + 5000)
  await mirror.refresh()
  expect(textOf(mirror)).toBe(feedOf(0.06))
})

test('an origin that is gone, and back', async () => {
  await give(feedOf(0.04))
  const mirror = await open()
  await mirror.refresh()
  const { port } = server
  await server.stop(true)
  await mirror.refresh()
  expect(textOf(mirror)).toBe(feedOf(0.04))
  expect(lines.at(-1)).toContain('the last good copy is served on')
  await give(feedOf(0.05), noon + 1000)
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: port ?? 0,
    fetch: (request) => answer(request),
  })
  await mirror.refresh()
  expect(textOf(mirror)).toBe(feedOf(0.05))
})

test('--accept-site takes a site of another name, and from the start no other', async () => {
  await give(feedOf(0.04))
  const first = await open()
  await first.refresh()
  await give(feedOf(0.05, 'New name', 'new.example.com'), noon + 1000)
  const moved = await open('new.example.com')
  await moved.refresh()
  expect(textOf(moved)).toBe(feedOf(0.05, 'New name', 'new.example.com'))
  await give(feedOf(0.06), noon + 2000)
  await moved.refresh()
  expect(textOf(moved)).toBe(feedOf(0.05, 'New name', 'new.example.com'))
  expect(lines.at(-1)).toContain('not of \\"new.example.com\\"')
})

test('a damaged copy is not served, and not asked on condition with', async () => {
  await give(feedOf(0.04))
  await (await open()).refresh()
  const file = folder.join('pricing/provider-pricing.json')
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 100))
  const mirror = await open()
  expect(mirror.current()).toBeUndefined()
  expect(lines.at(-1)).toContain('the copy on disk is broken')
  await mirror.refresh()
  expect(requests.at(-1)?.headers.get('if-none-match')).toBeNull()
  expect(textOf(mirror)).toBe(feedOf(0.04))
})

test('another file than the one that the tag was for is asked for whole', async () => {
  await give(feedOf(0.04))
  await (await open()).refresh()
  writeFileSync(folder.join('pricing/provider-pricing.json'), feedOf(0.01))
  const mirror = await open()
  await mirror.refresh()
  expect(requests.at(-1)?.headers.get('if-none-match')).toBeNull()
  expect(textOf(mirror)).toBe(feedOf(0.04))
})

test('a copy that can not be kept on disk is served all the same', async () => {
  await give(feedOf(0.04))
  writeFileSync(folder.join('api'), 'a file where a folder must be')
  const mirror = await open()
  await mirror.refresh()
  expect(textOf(mirror)).toBe(feedOf(0.04))
  expect(lines.join('\n')).toContain('could not be kept on disk')
})

test('a stop gives up a request that hangs', async () => {
  answer = () => new Promise<Response>(() => {})
  const mirror = await open()
  const asked = mirror.refresh()
  while (requests.length === 0) await Bun.sleep(1)
  await mirror.stop()
  await asked
  expect(lines).toEqual([])
})
