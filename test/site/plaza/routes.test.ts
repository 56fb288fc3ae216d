import { afterAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { createLogger } from '../../../src/lib/log.ts'
import { inSlices } from '../../../src/lib/slices.ts'
import { encodePlaza } from '../../../src/site/plaza/document.ts'
import { createPublication } from '../../../src/site/published.ts'
import { type PlazaRefusal, plazaPath, plazaRoutes } from '../../../src/site/routes.ts'
import { catalogOf, tokenTerms } from '../feed/catalogs.ts'

let now = Date.UTC(2026, 10, 21, 12)
let input = 1_000_000
let settings = { isEnabled: true, needsKey: false }
let refusal: PlazaRefusal | undefined
let asked = 0
const log = createLogger({ sink: () => {}, pretty: false, clock: () => now, level: 'error' })
const catalog = () => catalogOf([{ name: 'g' }], [{ id: 'm', terms: tokenTerms(input, 1) }])
const build = () => inSlices(encodePlaza(catalog(), ''))
const create = (make: () => string | Promise<string>) =>
  createPublication({ name: 'plaza', build: make, clock: () => now, log })

function startServer(plaza: ReturnType<typeof create>) {
  const app = new Elysia({ strictPath: true }).use(
    plazaRoutes({
      plaza,
      settings: () => settings,
      refusalOf: async () => {
        asked++
        return refusal
      },
    }),
  )
  app.listen({ hostname: '127.0.0.1', port: 0, reusePort: false, development: false })
  afterAll(() => app.stop(true))
  return (init: BunFetchRequestInit = {}) =>
    fetch(`http://127.0.0.1:${app.server?.port}${plazaPath}`, { ...init, proxy: false })
}

const plaza = create(build)
await plaza.refresh()
const ask = startServer(plaza)

test('GET and HEAD, with a tag of its own for gzip, 304 and no CORS', async () => {
  for (const encoding of ['identity', 'gzip']) {
    const headers = { 'accept-encoding': encoding, origin: 'https://other.example.com' }
    const got = await ask({ headers })
    expect(got.status).toBe(200)
    expect(got.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
    expect(await got.json()).toMatchObject({ code: 0, data: { groups: [{ name: 'g' }] } })
    expect([...got.headers.keys()].join()).not.toContain('access-control')
    const head = await ask({ method: 'HEAD', headers })
    expect(await head.text()).toBe('')
    const etag = got.headers.get('etag') ?? ''
    expect(head.headers.get('etag')).toBe(etag)
    const unchanged = await ask({ headers: { ...headers, 'if-none-match': etag } })
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
  }
})

test('builds without a change leave tag and time; a changed price changes both', async () => {
  const marks = async () => {
    const { headers } = await ask()
    return [headers.get('etag'), headers.get('last-modified')]
  }
  const before = await marks()
  for (let at = 0; at < 5; at++) {
    now += 120_000
    await plaza.refresh()
  }
  expect(await marks()).toEqual(before)
  input++
  await plaza.refresh()
  const after = await marks()
  expect(after[0]).not.toBe(before[0] ?? null)
  expect(after[1]).toBe(new Date(now).toUTCString())
})

test('switched off: 404 at once, also for a client that has a copy', async () => {
  const etag = (await ask()).headers.get('etag') ?? ''
  settings = { isEnabled: false, needsKey: true }
  const response = await ask({ headers: { 'if-none-match': etag } })
  expect(response.status).toBe(404)
  const { code, message, ...rest } = (await response.json()) as Record<string, unknown>
  expect([code, typeof message, rest]).toEqual([404, 'string', {}])
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(asked).toBe(0)
  settings = { isEnabled: true, needsKey: false }
  expect((await ask()).status).toBe(200)
})

test('with a key asked for: refused with the reason, else shown, but to no shared cache', async () => {
  settings = { isEnabled: true, needsKey: true }
  const etag = (await ask()).headers.get('etag') ?? ''
  for (const status of [401, 403]) {
    refusal = { status, message: 'Not you.', reason: 'missing' }
    const response = await ask({ headers: { 'if-none-match': etag } })
    expect(response.status).toBe(status)
    expect(response.headers.get('x-tollgate-reason')).toBe('missing')
    expect(await response.json()).toEqual({ code: status, message: 'Not you.' })
  }
  refusal = undefined
  const response = await ask()
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('private, no-cache')
})

test('without a document there is 503, and later the document', async () => {
  settings = { isEnabled: true, needsKey: false }
  let isBroken = true
  const broken = create(() => {
    if (isBroken) throw new Error('no catalog')
    return build()
  })
  await broken.refresh()
  const get = startServer(broken)
  const response = await get()
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('60')
  expect(await response.json()).toMatchObject({ code: 503 })
  isBroken = false
  await broken.refresh()
  expect((await get()).status).toBe(200)
})
