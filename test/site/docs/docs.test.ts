import { afterAll, describe, expect, test } from 'bun:test'
import { type AnyElysia, Elysia } from 'elysia'
import { loadConfig } from '../../../src/app/config/load.ts'
import { schemas } from '../../../src/app/schemas.ts'
import { createTollgate } from '../../../src/app/tollgate.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import { apiPage } from '../../../src/site/docs/api-page.ts'
import { operations, placedOperations, routesOf } from '../../../src/site/docs/document.ts'
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

describe('the page of the API', () => {
  test('has the scripts that its policy names by their hash, and loads nothing from elsewhere', async () => {
    const response = await ask('/docs/api')
    const html = await response.text()
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text)
    expect(scripts.length).toBe(2)
    expect(html.match(/<script/g)?.length).toBe(2)
    for (const text of scripts) {
      const hash = new Bun.CryptoHasher('sha256').update(text).digest('base64')
      expect(policy).toContain(`'sha256-${hash}'`)
    }
    expect(html).not.toMatch(/<img|<iframe|<object|<embed|@import|url\(|\bsrc=|\bon\w+="/i)
  })

  test('shows every operation with a form, and curl lines with the address that clients use', async () => {
    const html = await (await ask('/docs/api')).text()
    for (const { summary } of Object.values(operations))
      expect(html).toContain(Bun.escapeHTML(summary))
    expect(html).toContain('· Tor &lt;1&gt; &amp; &quot;2&quot;</title>')
    expect(html).not.toContain('Tor <1>')
    expect(textOf(html)).toContain(`curl 'https://gw.example.com/v1/chat/completions' \\`)
    const withFiles = Object.values(operations).filter(({ contentType }) => contentType)
    expect(html.match(/<details class="try">/g)?.length).toBe(
      Object.keys(operations).length - withFiles.length,
    )
  })

  test('names every error of the gateway with its meaning, in both languages', async () => {
    for (const language of ['en', 'zh']) {
      const html = await (await ask(`/docs/api?lang=${language}`)).text()
      const rows = html.slice(html.indexOf('<h2 id="errors"')).match(/<tr><td>.*?<\/tr>/g) ?? []
      expect(rows.length).toBeGreaterThan(30)
      for (const row of rows) expect(row).not.toContain('<td></td>')
    }
  })

  test('works without any address in the configuration', () => {
    const { html } = apiPage({
      site: { name: 'n', version: '1', addresses: [] },
      placed: placedOperations(tollgate.app),
      ...{ errors: [], language: 'en' },
    })
    expect(textOf(html)).toContain(`curl 'http://localhost:8787/v1/models' \\`)
  })
})

/** The text of HTML, its lines kept. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

const frameSite = {
  hasModels: true,
  logoUrl: null,
  accent: null,
  contact: null,
  docUrl: null,
  version: '1',
  origin: null,
}

test('all are published: a tag, 304, and new ones when the site has another name', async () => {
  let name = 'a'
  const app = new Elysia().get('/v1/models', '')
  app.use(
    docsRoutes({
      app: () => app,
      consoleApi: async () => new Elysia(),
      site: () => ({ name, version: '1', addresses: [] }),
      frame: () => ({ ...frameSite, name }),
      configuration: async () => [],
      errors: async () => [],
      requests: {},
      schemas: () => ({}),
      askerOf: () => [],
      clock,
    }),
  )
  const get = (path: string, etag = '') =>
    app.handle(new Request(`http://localhost${path}`, { headers: { 'if-none-match': etag } }))
  for (const path of ['/docs', '/docs/json', '/docs/api', '/docs/translation']) {
    name = 'a'
    const etag = (await get(path)).headers.get('etag') ?? ''
    expect((await get(path, etag)).status).toBe(304)
    name = 'b'
    const changed = await get(path, etag)
    expect(changed.status).toBe(200)
    expect(await changed.text()).toContain('b')
  }
})
