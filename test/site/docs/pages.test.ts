import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { loadConfig } from '../../../src/app/config/load.ts'
import { configReference } from '../../../src/app/config/reference.ts'
import { createTemplate } from '../../../src/app/config/template.ts'
import { createTollgate } from '../../../src/app/tollgate.ts'
import { requestSchemas } from '../../../src/gateway/serve/routes.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import { languages } from '../../../src/look/language.ts'
import { operations } from '../../../src/site/docs/document.ts'
import { renderPage } from '../../../src/site/docs/guide/markdown.ts'
import { guideTexts } from '../../../src/site/docs/guide/texts.ts'
import { said } from '../../../src/site/docs/in-chinese.ts'
import { menuOf } from '../../../src/site/docs/library.ts'
import { fieldsOf, keyRefused, tags } from '../../../src/site/docs/operation.ts'
import { withAddress } from '../../../src/site/docs/pages.ts'
import { createSearch, excerptOf } from '../../../src/site/docs/search.ts'
import { docsCss } from '../../../src/site/docs/style.ts'
import { translationTable } from '../../../src/site/docs/translation-table.ts'
import { openStore } from '../../support/empty-store.ts'

const clock = () => Date.UTC(2026, 10, 21, 12)
const loaded = loadConfig({ text: '', file: 'f', env: {} })
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

const ask = (path: string) => tollgate.app.handle(new Request(`http://localhost:8787${path}`))
const textAt = async (path: string) => (await ask(path)).text()
const linksOf = (html: string) =>
  [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  )
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)

const paths = menuOf('en').map(({ path }) => path)

describe.each(languages)('in the language %s', (language) => {
  test('every page renders, has one h1, and no id twice', async () => {
    for (const path of paths) {
      const response = await ask(`${path}?lang=${language}`)
      const html = await response.text()
      expect([path, response.status]).toEqual([path, 200])
      expect([path, html.match(/<h1>[^<]/g)?.length]).toEqual([path, 1])
      const ids = idsOf(html)
      expect([path, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([path, []])
    }
  })

  test('every link of the documentation leads to a page and an anchor that is there', async () => {
    const anchors = new Map<string, ReadonlySet<string>>()
    const wrong: string[] = []
    const idsAt = async (path: string) => {
      const known = anchors.get(path)
      if (known) return known
      const response = await ask(`${path}?lang=${language}`)
      const html = response.status === 200 ? await response.text() : ''
      const ids = new Set(idsOf(html))
      anchors.set(path, ids)
      return ids
    }
    for (const path of paths) {
      for (const link of linksOf(await textAt(`${path}?lang=${language}`))) {
        const [to = '', anchor] = (link.startsWith('#') ? path + link : link).split('#')
        if (!/^\/docs(\/(?!json)|$)/.test(to)) continue
        const ids = await idsAt(to)
        const isThere = anchor === undefined ? ids.size > 0 : ids.has(decodeURIComponent(anchor))
        if (!isThere) wrong.push(`${path}: ${link}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('an address without a page gets a 404 page with the menu', async () => {
    const response = await ask(`/docs/nothing?lang=${language}`)
    const html = await response.text()
    expect(response.status).toBe(404)
    for (const path of paths) expect(linksOf(html)).toContain(path)
    expect(html).toContain('role="search"')
  })

  test('the search escapes what was asked', async () => {
    const html = await textAt(
      `/docs/search?lang=${language}&q=${encodeURIComponent('"><script>alert(1)</script>')}`,
    )
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('&lt;script&gt;')
  })

  test('the search finds a key of the configuration and marks it', async () => {
    const html = await textAt(`/docs/search?lang=${language}&q=max_attempts`)
    expect(linksOf(html)).toContain('/docs/configuration#settings-max_attempts')
  })
})

test('words of a question that say nothing, and two letters, lead to no other page', async () => {
  const search = await createSearch([
    {
      path: '/backup',
      title: 'Backup',
      sections: [{ id: 'a', heading: 'Back up', text: 'Nightly.' }],
    },
    {
      path: '/upgrade',
      title: 'Upgrade',
      sections: [
        { id: 'b', heading: 'Go back', text: 'How tollgate returns to uploaded versions.' },
      ],
    },
  ])
  const pathsOf = (asked: string) => search(asked).map(({ path }) => path)
  expect(pathsOf('how to back up')).toEqual(['/backup#a'])
  expect(pathsOf('to')).toEqual(['/upgrade#b'])
  expect(pathsOf('upl')).toEqual(['/upgrade#b'])
})

test('a search finds Chinese words, whole or begun', async () => {
  const search = await createSearch([
    {
      ...{ path: '/docs/x', title: '限制' },
      sections: [
        { id: 'a', heading: '预算', text: '令牌的预算用完后，请求会被拒绝。' },
        { id: 'b', heading: '备份', text: '备份是一个 SQLite 文件。' },
      ],
    },
  ])
  expect(search('预算').map(({ path }) => path)).toEqual(['/docs/x#a'])
  expect(search('备份 sqlite')[0]?.excerpt).toBe(
    '<mark>备份</mark>是一个 <mark>SQLite</mark> 文件。',
  )
  expect(search('')).toEqual([])
  expect(search('x'.repeat(10_000))).toEqual([])
})

test.each(languages)('the program has every page of data/docs in the language %s', (language) => {
  const files = [
    ...new Glob('*.md').scanSync(join(import.meta.dir, '../../../data/docs', language)),
  ]
  expect(guideTexts[language].map(({ name }) => name)).toEqual(
    files.sort().map((file) => file.replace(/^\d+-|\.md$/g, '')),
  )
})

test('a page that counts less comes after one that explains', async () => {
  const sections = [{ id: 'a', heading: 'Web search', text: 'Web search.' }]
  const long = [{ id: 'b', heading: 'Tools', text: `Web search ${'and other words '.repeat(20)}` }]
  const page = (path: string) => ({ path, title: '' })
  const search = await createSearch([
    { ...page('/short'), sections, weight: 0.05 },
    { ...page('/long'), sections: long },
  ])
  expect(search('web search').map(({ path }) => path)).toEqual(['/long#b', '/short#a'])
})

test('an excerpt shows the place of a word, escaped', () => {
  const text = `${'words before '.repeat(20)}<b> & needle ${'words after '.repeat(30)}`
  const excerpt = excerptOf(text, ['needle'])
  expect(excerpt).toContain('&lt;b&gt; &amp; <mark>needle</mark>')
  expect(excerpt).toStartWith('… ')
  expect(excerpt).toEndWith(' …')
  expect(excerptOf('a.b', ['a.', '('])).toBe('<mark>a.</mark>b')
})

test('HTML in a page is shown, not obeyed; links lead to the site or to web addresses', () => {
  const { html, title, description } = renderPage(
    '# A `b`\n\nIs *c*.\n\n<script>x</script> <i onclick="x">y</i>\n\n[a](javascript:x) [b](./02-clients.md#top) ![p](x.png)\n\n## Twice\n\n## Twice\n',
    'en',
  )
  expect([title, description]).toEqual(['A b', 'Is c.'])
  expect(html).not.toMatch(/<script|<i |<img|javascript:/)
  expect(html).toContain('<a href="/docs/clients#top">b</a>')
  expect(idsOf(html)).toEqual(['twice', 'twice-1'])
})

test('the examples have the address that clients use, except where only the machine itself answers', () => {
  const shown = withAddress(
    'http://localhost:8787/v1 http://localhost:8787/readyz',
    'https://a.example/',
  )
  expect(shown).toBe('https://a.example/v1 http://localhost:8787/readyz')
})

test('the documentation has no colour that is none of the look', () => {
  expect(docsCss).not.toMatch(/#[0-9a-f]{3,8}\b|rgba?\(|hsl/i)
})

test('every sentence of the references has its Chinese one', () => {
  const ofKeys = configReference().flatMap(({ meaning, keys }) => [
    meaning,
    ...keys.flatMap((key) => [key.meaning, key.format ?? '']),
  ])
  const ofApi = Object.entries(operations).flatMap(([name, operation]) => [
    ...[operation.summary, operation.description ?? '', operation.answer],
    ...(operation.parameters ?? []).map(({ description }) => description),
    ...Object.values(operation.others ?? {}),
    ...fieldsOf({ operation, request: requestSchemas[name] }).map((field) => field.description),
  ])
  const { words, sections, quirks } = translationTable()
  const ofTranslation = [
    ...Object.entries(words).flat(),
    ...sections.flatMap(({ title, about, rows }) => [
      ...[title, about],
      ...rows.flatMap((row) => [row.title, row.note ?? '']),
    ]),
    ...quirks.map(({ title }) => title),
  ]
  const all = [...ofKeys, ...ofApi, ...ofTranslation, ...Object.values(tags), keyRefused]
  expect(all.length).toBeGreaterThan(500)
  expect(all.filter((text) => text !== '' && said(text, 'zh') === text)).toEqual([])
})

describe('the reference of the configuration', () => {
  const keys = configReference().flatMap((section) => section.keys)

  test('has each key of the template once, with a type and a sentence', () => {
    const named = [...createTemplate('sk-x').matchAll(/^ *#?(?:- )?([a-z_]+):/gm)]
    const known = new Set(keys.map(({ path }) => path.slice(path.lastIndexOf('.') + 1)))
    const sections = configReference().map(({ key }) => key)
    const missing = named
      .map(([, key = '']) => key)
      .filter((key) => !known.has(key) && !sections.includes(key))
    // Models are keys of `prices`.
    expect(missing.filter((key) => !/^(cached|long|small|painter|studio|fast)$/.test(key))).toEqual(
      [],
    )
    for (const { path, type } of keys)
      expect([path, type]).toEqual([path, expect.stringMatching(/./)])
    expect(
      keys.filter(({ path }, at) => keys.findIndex((one) => one.path === path) !== at),
    ).toEqual([])
  })

  test('shows defaults, words and what is secret', () => {
    const key = (path: string) => keys.find((one) => one.path === path)
    expect(key('server.max_body')).toMatchObject({
      type: 'size',
      usual: '64MiB',
      isRequired: false,
    })
    expect(key('server.listen')?.usual).toBe('127.0.0.1:8787')
    expect(key('settings.models_list')?.words).toEqual(['all', 'token'])
    expect(key('channels[].api_key')?.isSecret).toBe(true)
    expect(key('channels[].name')?.isRequired).toBe(true)
    expect(key('accounts[].tokens[].limits.rpm')?.example).toBe('rpm: 60')
  })
})
