import { afterAll, describe, expect, test } from 'bun:test'
import { type AnyElysia, Elysia } from 'elysia'
import { loadConfig } from '../../../src/app/config/load.ts'
import { schemas } from '../../../src/app/schemas.ts'
import { createTollgate } from '../../../src/app/tollgate.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import { operations, placedOperations, routesOf } from '../../../src/site/docs/document.ts'
import { docsPage } from '../../../src/site/docs/page.ts'
import { docsRoutes } from '../../../src/site/docs/routes.ts'
import { openStore } from '../../support/empty-store.ts'
import { createValidator } from '../schemas/ajv.ts'

const clock = () => Date.UTC(2026, 10, 21, 12)
const site = `site: { name: 'Tor <1> & "2"', base_url: "https://gw.example.com/" }`
const loaded = loadConfig({ text: site, file: 'f', env: {} })
if (!loaded.ok) throw new Error('the configuration is not valid')
const store = await openStore(clock)
const tollgate = await createTollgate({
  config: loaded.config,
  store,
  secrets: createSecretBox('secret'),
  log: createLogger({ sink: () => {}, pretty: false, clock, level: 'error' }),
  clock,
})
afterAll(async () => {
  await tollgate.stop()
  await store.close()
})

const ask = (path: string, headers: Record<string, string> = {}) =>
  tollgate.app.handle(new Request(`http://localhost:8787${path}`, { headers }))

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly security?: readonly object[]
  readonly responses: Record<string, unknown>
}
interface OpenApi {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Record<string, Record<string, Described>>
  readonly components: { readonly schemas: Record<string, object> }
}
const openApi = async () => (await (await ask('/docs/json')).json()) as OpenApi

type Route = ReturnType<typeof routesOf>[number]

/** Routes without a description, such as `GET /v1/models`. */
function undocumentedRoutes(app: AnyElysia): readonly string[] {
  const routes = routesOf(app)
  const isDescribed = ({ path, method }: Route) => `${method} ${path}` in operations
  const described = new Set(routes.filter(isDescribed).map(({ path }) => path))
  // Routes for all methods answer the undescribed ones with an error.
  const isError = ({ path, operationId }: Route) =>
    operationId.startsWith('all') && described.has(path)
  return routes
    .filter((route) => !isDescribed(route) && !isError(route))
    .map(({ path, method }) => `${method} ${path}`)
}

test('every route that the gateway has is described, and every description has its route', () => {
  expect(undocumentedRoutes(tollgate.app)).toEqual([])
  const placed = placedOperations(tollgate.app).map(({ method, path }) => `${method} ${path}`)
  expect(placed).toEqual(Object.keys(operations))
  expect(placed.length).toBeGreaterThan(25)
})

test('a route that nobody described is found', () => {
  const app = new Elysia()
    .get('/v1/models', () => '')
    .post('/v1/new/:id', () => '')
    .get('/docs', '')
  expect(undocumentedRoutes(app)).toEqual(['POST /v1/new/{id}'])
})

describe('the OpenAPI document', () => {
  test('lists what is public under the address that clients use', async () => {
    const { openapi, servers, paths } = await openApi()
    expect(openapi).toBe('3.1.0')
    expect(servers).toEqual([{ url: 'https://gw.example.com/' }])
    expect(Object.keys(paths['/v1/responses/{id}'] ?? {})).toEqual(['get', 'delete'])
    // Its route answers all methods, most of them with 405.
    expect(Object.keys(paths['/pricing/provider-pricing.json'] ?? {})).toEqual(['get'])
  })

  test('declares each part of a path, and resolves each reference', async () => {
    const document = await openApi()
    for (const [path, methods] of Object.entries(document.paths)) {
      const named = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
      for (const { parameters = [], responses } of Object.values(methods)) {
        const declared = parameters.filter((one) => one.in === 'path').map(({ name }) => name)
        expect(declared).toEqual(named as string[])
        expect(Object.keys(responses)).toContainEqual(expect.stringMatching(/^20[01]$/))
      }
    }
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)
    const names = [...references].map(([, name]) => name)
    expect(new Set(names)).toEqual(new Set(['feed', 'plaza', 'settings', 'status']))
    for (const schema of Object.values(document.components.schemas)) createValidator(schema)
    expect(Object.keys(document.components.schemas)).toEqual([
      ...['feed', 'plaza', 'settings', 'status'],
    ])
  })

  test('asks for a key where the gateway does', async () => {
    const { paths } = await openApi()
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        const url = `http://localhost:8787${path.replace(/\{\w+\}/g, 'x:generateContent')}`
        // A model's name alone is what GET asks for.
        const asked = method === 'get' ? url.replace(':generateContent', '') : url
        // One path is there for WebSockets alone.
        const headers = { upgrade: 'websocket' }
        const request = new Request(asked, { method: method.toUpperCase(), headers })
        const { status } = await tollgate.app.handle(request)
        // Who signs in sends something, which is missing here.
        const isEntry = /^\/api\/v1\/(auth|setup)/.test(path) && !security
        const expected = isEntry ? expect.any(Number) : security ? 401 : 200
        expect([method, path, status]).toEqual([method, path, expected])
        if (isEntry) expect([path, status]).not.toEqual([path, 401])
      }
    }
  })
})

test.each(['feed', 'plaza', 'status'] as const)(
  'the example of the %s is as its schema says',
  (name) => {
    const validate = createValidator(schemas[name].content())
    const examples = Object.values(operations).filter(({ schema }) => schema === name)
    expect(examples.length).toBeGreaterThan(0)
    for (const { example } of examples) expect(validate(example)).toEqual([])
  },
)

describe('the page', () => {
  test('loads nothing: no script, no picture, no style from elsewhere, and the browser is told so', async () => {
    const response = await ask('/docs')
    const html = await response.text()
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(html).not.toMatch(
      /<script|<link|<img|<iframe|<object|<embed|@import|url\(|\bsrc=|\bon\w+=/i,
    )
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(8)
    for (const link of links) expect(link).toMatch(/^(#|\/)/)
    for (const [, id] of links.join(' ').matchAll(/#(\S+)/g)) expect(html).toContain(`id="${id}"`)
  })

  test('shows every operation, and curl lines with the address that clients use', async () => {
    const html = await (await ask('/docs')).text()
    for (const { summary } of Object.values(operations))
      expect(html).toContain(Bun.escapeHTML(summary))
    expect(html).toContain('<title>Tor &lt;1&gt; &amp; &quot;2&quot;: API</title>')
    expect(html).not.toContain('Tor <1>')
    const curl = Bun.escapeHTML(`curl 'https://gw.example.com/v1/chat/completions' \\`)
    expect(html).toContain(curl)
  })

  test('works without any address in the configuration', () => {
    const html = docsPage(
      { name: 'n', version: '1', addresses: [] },
      placedOperations(tollgate.app),
    )
    expect(html).toContain(Bun.escapeHTML(`curl 'http://localhost:8787/v1/models' \\`))
  })
})

test('both are published: a tag, 304, and new ones when the site has another name', async () => {
  let name = 'a'
  const app = new Elysia().get('/v1/models', '')
  app.use(
    docsRoutes({
      app: () => app,
      consoleApi: async () => new Elysia(),
      site: () => ({ name, version: '1', addresses: [] }),
      requests: {},
      schemas: () => ({}),
      clock,
    }),
  )
  const get = (path: string, etag = '') =>
    app.handle(new Request(`http://localhost${path}`, { headers: { 'if-none-match': etag } }))
  for (const path of ['/docs', '/docs/json', '/docs/translation']) {
    name = 'a'
    const etag = (await get(path)).headers.get('etag') ?? ''
    expect((await get(path, etag)).status).toBe(304)
    name = 'b'
    const changed = await get(path, etag)
    expect(changed.status).toBe(200)
    expect(await changed.text()).toContain('b')
  }
})
