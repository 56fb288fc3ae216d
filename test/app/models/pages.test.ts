import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testKey } from '../../support/tollgate-yaml.ts'
import { hourMs, minuteMs, startStatusScene } from '../status-page/scene.ts'

// The models for people, of the whole app. SPEC 7.3 and CONTRACT 3: programs that leave out `/v1` get the plain 404.

const nasty = '"><img/src=x>'
const models = [
  'gpt-5-mini',
  'claude-sonnet-4-5',
  'vendor/some-model.v2:free',
  'text-embedding-3-small',
]
const prices = {
  'gpt-5-mini': { input: 0.25, output: 2, cache_read: 0.025, note: '<i>remark</i>' },
  'claude-sonnet-4-5': {
    ...{ input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, cache_write_1h: 6 },
    tiers: [{ above: 200_000, input: 6, output: 22.5 }],
  },
  'vendor/some-model.v2:free': { free: true },
  'text-embedding-3-small': { input: 0.02, output: 0 },
}
const groups = [
  { name: 'default', rate_multiplier: 1 },
  { name: nasty, rate_multiplier: 0.8, description: nasty },
]
const minutes = [
  { group: 'default', model: 'gpt-5-mini', agoMs: minuteMs, succeeded: 99, failed: 1 },
  { group: nasty, model: 'gpt-5-mini', agoMs: 3 * hourMs, succeeded: 100 },
]
const site = { name: 'Tor <1>', base_url: 'https://gw.example.com' }

type Scene = Awaited<ReturnType<typeof startStatusScene>>
let scene: Scene
beforeAll(async () => {
  scene = await startStatusScene({ site, groups, models, prices, minutes })
})
afterAll(() => scene[Symbol.asyncDispose]())

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const page = async (path: string, of = scene) => (await of.ask(path, { headers: html })).text()
const textOf = (markup: string) =>
  markup
    .replace(/<(style|script)[^>]*>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

describe('/models is a page for readers alone', () => {
  test.each(['GET', 'HEAD'])('%s with Accept: text/html', async (method) => {
    const answer = await scene.ask('/models?q=gpt', { method, headers: html })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('vary')).toContain('accept,')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  const credentials: readonly (readonly [string, string, Record<string, string>])[] = [
    ['a bearer', '/models', { authorization: `Bearer ${testKey}` }],
    ['another authorization', '/models', { authorization: 'Basic eDp5' }],
    ['x-api-key', '/models', { 'x-api-key': testKey }],
    ['x-goog-api-key', '/models', { 'x-goog-api-key': testKey }],
    ['?key=', `/models?key=${testKey}`, {}],
  ]
  const refused: readonly (readonly [string, string, string, Record<string, string>])[] = [
    ...credentials.map(
      ([what, path, headers]) => [what, 'GET', path, { ...html, ...headers }] as const,
    ),
    ['any type', 'GET', '/models', { accept: '*/*' }],
    ['JSON', 'GET', '/models', { accept: 'application/json' }],
    ['HTML refused', 'GET', '/models', { accept: 'text/html;q=0, */*' }],
    ['a POST', 'POST', '/models', html],
    ['a slash at the end', 'GET', '/models/', html],
  ]
  test.each(refused)('with %s it is no path', async (what, method, path, headers) => {
    const answer = await scene.ask(path, { method, headers })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('text/plain')
    expect(await answer.text()).toBe('404 page not found')
    if (path !== '/models/' && method === 'GET')
      expect([what, answer.headers.get('vary')?.toLowerCase()]).toEqual([what, 'accept'])
    // Nobody may make caches answer others so.
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('a model’s page is one for any type, and none with a credential', async () => {
    const path = '/models/gpt-5-mini'
    expect((await scene.ask(path, { headers: { accept: '*/*' } })).status).toBe(200)
    for (const [, query, headers] of credentials) {
      const answer = await scene.ask(query.replace('/models', path), { headers })
      expect([answer.status, await answer.text()]).toEqual([404, '404 page not found'])
    }
    expect((await scene.ask(path, { method: 'POST' })).status).toBe(404)
  })

  test('the gateway’s own paths are as they were', async () => {
    const ask = (headers: Record<string, string>) => scene.ask('/v1/models', { headers })
    expect((await ask(html)).status).toBe(401)
    const answer = await ask({ ...html, authorization: `Bearer ${testKey}` })
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(await answer.json()).toMatchObject({ object: 'list' })
  })
})

test('the list has each model with the cheapest price, the list price, the saving and how it answers', async () => {
  const text = textOf(await page('/models'))
  expect(text).toContain('4 models')
  expect(text).toMatch(
    /gpt-5-mini 2 groups, lowest in .* OpenAI 400K Text, images, PDF \$0\.20 \$0\.02 \$1\.60 \$0\.25 \/ \$2\.00 20% Working/,
  )
  expect(text).toMatch(/vendor\/some-model\.v2:free .* Free Free Free – – No data/)
  expect(textOf(await page('/models?group=default&q=gpt'))).toMatch(
    /1 of 4 models .*\$0\.25 .* 0% Working/,
  )
  expect(textOf(await page('/models?q=nothing'))).toContain('No model matches')
})

test('a model’s page has prices by group and context, availability, endpoints, snippets', async () => {
  const claude = textOf(await page('/models/claude-sonnet-4-5'))
  expect(claude).toContain(
    'From $2.40 input, $12.00 output per 1M tokens · 20% below Anthropic’s list price',
  )
  expect(claude).toMatch(/Anthropic’s list .*\$3\.00 .*Context above 200K \$6\.00/)
  expect(claude).toMatch(/Context above 200K \$4\.80\s\$18\.00/)
  expect(claude).toContain('the whole request costs the price of that line')
  for (const words of [
    '/v1/messages',
    'from anthropic import',
    'ANTHROPIC_BASE_URL',
    'wire_api',
    'GOOGLE_GEMINI_BASE_URL',
  ])
    expect(claude).toContain(words)
  expect(claude).toContain('https://gw.example.com')
  const gpt = await page('/models/gpt-5-mini')
  expect(textOf(gpt)).toMatch(/default Working 99\.00%/)
  expect(gpt).toContain('href="/console/playground?model=gpt-5-mini"')
  expect(gpt).toContain('<title>gpt-5-mini: price and API · Tor &lt;1&gt;</title>')
  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(gpt) ?? []
  expect(JSON.parse(json)).toMatchObject({
    '@type': 'Product',
    url: 'https://gw.example.com/models/gpt-5-mini',
  })
  const embeds = textOf(await page('/models/text-embedding-3-small'))
  expect(embeds).toContain('/v1/embeddings')
  expect(embeds).not.toContain('/v1/messages')
})

test('names of operators are text, never markup', async () => {
  for (const path of ['/models', '/models/gpt-5-mini', `/models/${encodeURIComponent(nasty)}`]) {
    const markup = await page(path)
    expect(markup).toContain(Bun.escapeHTML(nasty))
    expect(markup).not.toContain('<img/src')
    expect(markup).not.toContain('<i>remark')
  }
})

test.each(['/models/vendor/some-model.v2:free', '/models/vendor%2Fsome-model.v2%3Afree'])(
  'a name with slash and colon has the page %s, whatever the host',
  async (path) => {
    const answer = await scene.ask(path, { headers: { ...html, host: 'gw' } })
    expect(answer.status).toBe(200)
    expect(textOf(await answer.text())).toContain('vendor/some-model.v2:free Copy No data Free')
  },
)

test.each([
  ['/models/claude-sonet-4-5', 'claude-sonnet-4-5'],
  ['/models/anthropic/claude-sonnet-4-5', 'claude-sonnet-4-5'],
  ['/models/%zz', '%zz'],
])('%s is a page of 404 that suggests %s', async (path, suggested) => {
  const answer = await scene.ask(path, { headers: { ...html, 'if-none-match': '*' } })
  expect(answer.status).toBe(404)
  const text = await answer.text()
  expect(text).toContain('noindex')
  expect(text).toContain(suggested)
})

test('in Chinese, by the header and by the address', async () => {
  const ask = (path: string, language: string) =>
    scene.ask(path, { headers: { ...html, 'accept-language': language } })
  expect(await (await ask('/models', 'zh-CN')).text()).toContain('模型与价格')
  expect(await (await ask('/models/gpt-5-mini?lang=zh', 'en')).text()).toContain('lang="zh-Hans"')
})

test.each([
  [{ model_plaza_enabled: false }, 'signed-in users only'],
  [{ model_plaza_require_auth: true }, 'Sign in to the console'],
])('with %p it says so, and shows no price and no model', async (settings, words) => {
  await using closed = await startStatusScene({ site, groups, models, prices, settings })
  for (const path of ['/models', '/models/gpt-5-mini', '/models/no-such']) {
    const text = await page(path, closed)
    expect(text).toContain(words)
    expect(text).toContain('href="/console/plaza"')
    expect(text).not.toContain('0.25')
    expect(textOf(text).replaceAll('/api/v1/model-plaza', '')).not.toContain('gpt-5')
  }
})

test('200 models in 10 groups stay below 60 KB', async () => {
  const many = Array.from({ length: 200 }, (_, at) => `openai/gpt-5-mini-number-${at}`)
  const tenGroups = many
    .slice(0, 10)
    .map((_, at) => ({ name: `group ${at}`, rate_multiplier: 1 + at }))
  const all = Object.fromEntries(
    many.map((name, at) => [name, { input: 1 + at / 8, output: 1 + at / 4 }]),
  )
  await using big = await startStatusScene({ site, groups: tenGroups, models: many, prices: all })
  for (const path of ['/models', '/models?page=2&sort=-input', `/models/${many[0]}`]) {
    const answer = await big.ask(path, {
      headers: { ...html, 'accept-encoding': 'gzip' },
      decompress: false,
    })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect((await answer.arrayBuffer()).byteLength).toBeLessThan(60_000)
  }
  expect(await page('/models?page=2', big)).toContain('Page 2 of 2')
})
