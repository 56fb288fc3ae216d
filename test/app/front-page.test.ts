import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { minuteMs, startStatusScene } from './status-page/scene.ts'

// The front page of the whole app, and what browsers and search engines ask for beside it.

const evil = '</style><script>alert(1)</script>'
const site = {
  ...{ name: 'Gate', subtitle: `Every model ${evil}`, contact: 'help@example.com' },
  ...{ base_url: 'https://gw.example.com/', accent: '#7a1fa2' },
  ...{ status_url: 'https://status.example.com' },
}
const models = ['vendor/small-1', 'large-2']
const groups = [{ name: 'Official' }, { name: evil }]
const folder = mkdtempSync(join(tmpdir(), 'front-page-'))

let scene: Awaited<ReturnType<typeof startStatusScene>>
beforeAll(async () => {
  const minutes = [{ group: 'Official', model: 'large-2', agoMs: minuteMs, succeeded: 9 }]
  scene = await startStatusScene({ site, groups, models, minutes })
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const read = async (path: string, init?: BunFetchRequestInit) =>
  (await scene.ask(path, init)).text()

test('it says what is offered, where, at what price, and how to begin', async () => {
  const html = await read('/')
  expect(html).toContain('<h1>Gate</h1>')
  expect(html).toContain('<code class="whole">https://gw.example.com</code>')
  expect(html).toContain('<a class="name" href="/models/vendor/small-1">vendor/small-1</a>')
  expect(html).toMatch(/large-2<\/a>.*\$1\.00.*\$2\.00.*small-1<\/a>/)
  expect(html).toContain('Official</bdi><span class="operational">Working</span>')
  expect(html).toContain('href="mailto:help@example.com"')
  expect(html).toContain('--accent:#7a1fa2')
  const clients = [
    'curl',
    'OpenAI SDK',
    'Anthropic SDK',
    'Google Gen AI SDK',
    'Claude Code',
    'Codex',
  ]
  for (const client of clients) expect(html).toContain(`>${client}</label>`)
  const code = html.replace(/<\/?i\b[^>]*>/g, '')
  expect(code).toContain('base_url=&quot;https://gw.example.com/v1&quot;')
  expect(code).toContain('model=&quot;large-2&quot;')
})

test('texts are text, and the only script is the one that the policy names', async () => {
  const response = await scene.ask('/')
  const html = await response.text()
  expect(html).not.toContain('<script>alert')
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? []
  expect(html.match(/<script/g)).toHaveLength(1)
  const hash = new Bun.CryptoHasher('sha256').update(script).digest('base64')
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain(`script-src 'sha256-${hash}';`)
})

test('a program gets it too; it is compressed, kept by its tag, and small', async () => {
  const packed = await scene.ask('/', { headers: { accept: '*/*', 'accept-encoding': 'gzip' } })
  expect(packed.status).toBe(200)
  const headers = { 'if-none-match': packed.headers.get('etag') ?? '', 'accept-encoding': 'gzip' }
  expect((await scene.ask('/', { headers })).status).toBe(304)
  expect((await scene.ask('/', { method: 'HEAD' })).status).toBe(200)
  expect((await scene.ask('/', { method: 'POST' })).status).toBe(404)
  const bytes = Buffer.byteLength(await read('/'))
  expect(bytes).toBeLessThan(60_000)
})

test('a language that was chosen is remembered', async () => {
  const chosen = await scene.ask('/?lang=zh')
  expect(chosen.headers.get('content-language')).toBe('zh-Hans')
  expect(chosen.headers.get('vary')).toContain('cookie')
  const cookie = (chosen.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  expect(await read('/', { headers: { cookie } })).toContain('<html lang="zh-Hans">')
  expect((await scene.ask('/')).headers.get('set-cookie')).toBeNull()
})

test('search engines learn which pages there are, and which to leave alone', async () => {
  const robots = await read('/robots.txt')
  expect(robots).toContain('Disallow: /console\n')
  expect(robots).toContain('Sitemap: https://gw.example.com/sitemap.xml')
  const sitemap = await scene.ask('/sitemap.xml')
  expect(sitemap.headers.get('content-type')).toBe('application/xml; charset=utf-8')
  const headers = { 'if-none-match': sitemap.headers.get('etag') ?? '' }
  expect((await scene.ask('/sitemap.xml', { headers })).status).toBe(304)
  const addresses = [...(await sitemap.text()).matchAll(/<loc>(.*?)<\/loc>/g)]
  for (const path of ['/', '/models', '/models/vendor/small-1', '/status', '/docs', '/docs/api'])
    expect(addresses.map(([, address]) => address)).toContain(`https://gw.example.com${path}`)
  expect(await read('/')).toContain('<link rel="canonical" href="https://gw.example.com/">')
})

test('the mark has the accent; the status page’s own host has it, too', async () => {
  expect(await read('/favicon.svg')).toContain('fill="#7a1fa2"')
  const icon = await scene.ask('/favicon.ico', { redirect: 'manual' })
  expect([icon.status, icon.headers.get('location')]).toEqual([302, '/favicon.svg'])
  const headers = { host: 'status.example.com' }
  expect((await scene.ask('/favicon.svg', { headers })).status).toBe(200)
  expect(await read('/', { headers })).toContain('<h2 id="groups">')
})

test('the operator’s own page takes its place, and one that is gone does not', async () => {
  const frontPage = join(folder, 'front.md')
  writeFileSync(frontPage, `# Welcome\n\n[Prices](/models)`)
  const logo = 'https://cdn.example.com/logo.svg'
  await using own = await startStatusScene({
    ...{ groups: [{ name: 'g' }], site: { front_page: frontPage, logo_url: logo } },
  })
  const page = await own.ask('/')
  expect(page.headers.get('content-security-policy')).toEndWith(
    `img-src 'self' ${logo} https: data:`,
  )
  expect(await page.text()).toContain('<h1>Welcome</h1>\n<p><a href="/models">Prices</a></p>')
  const icon = await own.ask('/favicon.svg', { redirect: 'manual' })
  expect(icon.headers.get('location')).toBe(logo)
  writeFileSync(join(folder, 'front.zh.md'), '# 欢迎')
  const headers = { 'accept-language': 'zh' }
  expect(await (await own.ask('/', { headers })).text()).toContain('<h1>欢迎</h1>')
  rmSync(frontPage)
  own.wait(minuteMs)
  expect(await (await own.ask('/')).text()).toContain('id="begin"')
  expect(own.complaints.join()).toContain('site.front_page')
})
