import { expect, test } from 'bun:test'
import { type FrameSite, publicPage } from '../../src/look/frame.ts'
import { icon } from '../../src/look/icons.ts'
import { type Language, languageOf } from '../../src/look/language.ts'

const site: FrameSite = {
  name: 'Gateway',
  logoUrl: null,
  accent: null,
  contact: null,
  docUrl: null,
  version: '1.2.3',
  hasModels: true,
  origin: 'https://gw.example.com',
}
const page = (changed: Partial<FrameSite> = {}, path = '/models', language: Language = 'en') =>
  publicPage({
    ...{ title: 'Models', description: 'All of them', language, path },
    ...{ site: { ...site, ...changed }, body: '<p>body</p>' },
  })

test('the frame escapes all of the operator’s texts and leaves the body as it is', () => {
  const evil = '"><script>alert(1)</script>'
  const html = publicPage({
    ...{ title: evil, description: evil, language: 'zh', path: '/models', body: '<p>body</p>' },
    site: {
      ...site,
      name: evil,
      contact: evil,
      docUrl: `https://x.example/${evil}`,
      version: evil,
    },
  })
  expect(html).toContain('<main id="main"><p>body</p></main>')
  expect(html).not.toContain('<script>alert')
  expect(html).toContain('<html lang="zh-Hans">')
})

test('logo, accent, contact and documentation of the operator show', () => {
  const html = page({
    ...{ logoUrl: 'https://gw.example.com/logo.svg', accent: '#7a1fa2' },
    ...{ contact: 'help@example.com', docUrl: 'https://docs.example.com' },
  })
  expect(html).toContain('<img src="https://gw.example.com/logo.svg" alt=""')
  expect(html).toContain('<link rel="icon" href="https://gw.example.com/logo.svg">')
  expect(html).toContain('--accent:#7a1fa2')
  expect(html).toContain('<a href="mailto:help@example.com">')
  expect(html).toContain('href="https://docs.example.com"')
})

test('a page names itself by the address that its other languages name it by', () => {
  const chinese = 'href="https://gw.example.com/models?lang=zh"'
  const html = page({}, '/models', 'zh')
  expect(html).toContain(`<link rel="canonical" ${chinese}>`)
  expect(page()).toContain(`hreflang="zh-Hans" ${chinese}>`)
  expect(html).toContain('hreflang="en" href="https://gw.example.com/models">')
})

test('search engines find the address of the page and of its other languages', () => {
  const html = page({}, '/models?group=a%26b')
  expect(html).toContain('<link rel="canonical" href="https://gw.example.com/models?group=a%26b">')
  expect(html).toContain(
    'hreflang="zh-Hans" href="https://gw.example.com/models?group=a%26b&amp;lang=zh"',
  )
  expect(html).toContain('hreflang="en" href="https://gw.example.com/models?group=a%26b"')
  expect(page({ origin: null })).not.toContain('canonical')
  expect(html).toContain('<a href="/models" aria-current="page">')
})

test('a choice of language holds over an earlier one, and that over the browser’s', () => {
  const asked = (query: string, headers: Record<string, string>) =>
    languageOf(new Request(`http://localhost/${query}`, { headers }))
  expect(asked('', {})).toBe('en')
  expect(asked('', { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' })).toBe('zh')
  expect(asked('', { 'accept-language': 'zh', cookie: 'a=1; tollgate_lang=en' })).toBe('en')
  expect(asked('?lang=zh', { cookie: 'tollgate_lang=en' })).toBe('zh')
  expect(asked('', { cookie: 'tollgate_lang=xx' })).toBe('en')
})

test('icons are inline and hidden from screen readers', () => {
  expect(icon('copy')).toMatch(/^<svg class="icon" .*aria-hidden="true"><path d=.*<\/svg>$/)
})
