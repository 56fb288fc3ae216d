import { describe, expect, test } from 'bun:test'
import type { AvailabilityFigures, WindowName } from '../../../../src/catalog/availability.ts'
import type { Language } from '../../../../src/look/language.ts'
import { statusPage } from '../../../../src/site/status/page/page.ts'
import { english } from '../../../../src/site/status/page/words-en.ts'
import { chinese } from '../../../../src/site/status/page/words-zh.ts'
import type { AvailabilityCounts } from '../../../../src/store/ports/availability.ts'
import { catalogOf, type SoldGroup, tokenTerms } from '../../feed/catalogs.ts'
import { siteNamed } from '../../frame-site.ts'
import { figuresOf, type GroupBars, type ModelFigures } from '../figures.ts'

const nowMs = Date.UTC(2026, 10, 22, 14, 20, 30)
const terms = tokenTerms(1, 1)

interface Shown {
  readonly groups: readonly SoldGroup[]
  readonly figures?: readonly ModelFigures[]
  readonly bars?: GroupBars
  readonly language?: Language
  readonly siteName?: string
}

/** The page of a catalog in which each group sells each model. */
function pageOf({ groups, figures = [], bars = empty, language = 'en', siteName = 'Site' }: Shown) {
  const ids = [...new Set(figures.map(({ model }) => model))]
  const catalog = catalogOf(
    groups,
    ids.map((id) => ({ id, terms })),
  )
  const steps = statusPage({
    ...{
      site: siteNamed(siteName),
      groups: catalog.groups,
      figures: figuresOf(figures, bars),
      nowMs,
      language,
    },
  })
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

const none = { requests: 0, failed: 0 }
const rowOf = (length: number, last: AvailabilityFigures['bars'] extends never ? never : object) =>
  Array.from({ length }, (_, place) => (place === length - 1 ? { ...none, ...last } : none))
const empty: GroupBars = {
  bars: (window) => rowOf(window === '24h' ? 24 : 90, {}),
  hoursFrom: Date.UTC(2026, 9, 18, 15),
}

/** One model's counts of a group, by what of 100 requests failed in the last hour. */
const ofGroup = (groupId: number, failed: number): ModelFigures => ({
  ...{ groupId, model: 'm' },
  counts: { '1h': { succeeded: 100 - failed, failed: { upstream: failed } } },
})

const headline = (html: string) => /<h1 [^>]*><span>(.*?)<\/span><\/h1>/.exec(html)?.[1]
/** What a reader sees: no tags, no style. */
const textOf = (html: string) =>
  html
    .replace(/<style>.*?<\/style>|<title>.*?<\/title>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

describe('the line at the top', () => {
  const named = (...names: readonly string[]) => names.map((name) => ({ name }))
  const four = named('a', 'b', 'c', 'd')
  const cases: readonly [readonly SoldGroup[], readonly number[], string, string][] = [
    [[], [], 'There are no groups', '没有分组'],
    [four, [], 'No requests were measured in the last hour', '最近一小时没有测到任何请求'],
    [four, [0, 0, 5, 5], 'All groups work', '所有分组运行正常'],
    [four, [0, 0, 6, 0], '1 of 4 groups is degraded', '4 个分组中，1 个部分异常'],
    [four, [0, 9, 6, 0], '2 of 4 groups are degraded', '4 个分组中，2 个部分异常'],
    [
      four,
      [0, 51, 6, 0],
      '1 of 4 groups is down, 1 is degraded',
      '4 个分组中，1 个不可用，1 个部分异常',
    ],
    [four, [99, 99, 99, 99], '4 of 4 groups are down', '4 个分组中，4 个不可用'],
    [named('a'), [9], 'The only group is degraded', '1 个分组中，1 个部分异常'],
    [
      four,
      [0],
      'All groups that were asked work; 3 had no requests in the last hour',
      '有请求的分组均运行正常；3 个分组最近一小时没有请求',
    ],
  ]
  test.each(cases)('%j, failing %j: %s', (groups, failed, english, chinese) => {
    const figures = failed.map((percent, at) => ofGroup(at + 1, percent))
    expect(headline(pageOf({ groups, figures }))).toBe(english)
    expect(headline(pageOf({ groups, figures, language: 'zh' }))).toBe(chinese)
  })

  test('is the title, too, and links to the groups that do not work', () => {
    const html = pageOf({ groups: four, figures: [ofGroup(1, 0), ofGroup(2, 60), ofGroup(3, 9)] })
    expect(html).toContain('<title>1 of 4 groups is down, 1 is degraded · Site</title>')
    expect(html).toContain('<p>Down: <a href="#g2"><bdi>b</bdi></a></p>')
    expect(html).toContain('<p>Degraded: <a href="#g3"><bdi>c</bdi></a></p>')
    for (const id of ['g1', 'g2', 'g3', 'g4']) expect(html.split(`id="${id}"`)).toHaveLength(2)
  })
})

test('where nothing was measured, there is no data: nothing looks as if it worked', () => {
  const html = pageOf({ groups: [{ name: 'g' }] })
  const [main = ''] = /<main .*<\/main>/s.exec(html) ?? []
  const [, card = ''] = /(<section.*<\/section>)/s.exec(main) ?? []
  expect(card).toContain('class="no_data"')
  expect(card).toContain('No request was measured in 90 days.')
  expect(card).not.toMatch(/<path|operational|100%|0\.00%/)
  expect(main).toContain('None measured since <time datetime="2026-10-18T15:00Z">')
})

test('what failed a little is never shown as 100%', () => {
  const counts = { '24h': { succeeded: 9_999_999, failed: { upstream: 1 } } }
  const bars: GroupBars = {
    ...empty,
    bars: (window) => rowOf(window === '24h' ? 24 : 90, { requests: 10_000_000, failed: 1 }),
  }
  const html = pageOf({
    groups: [{ name: 'g' }],
    figures: [{ groupId: 1, model: 'm', counts }],
    bars,
  })
  const [, card = ''] = /(<section.*<\/section>)/s.exec(html) ?? []
  expect(card).toContain('99.99%')
  expect(card).not.toContain('100%')
  expect(card).toContain('14:00 UTC: 99.99% · 1 of 10,000,000 requests failed')
})

test('bars show what was measured, each with its text, and the drawing with a sum', () => {
  const bars: GroupBars = {
    bars: (window) => [
      ...rowOf(window === '24h' ? 20 : 86, {}),
      ...[
        { requests: 9, failed: 0 },
        { requests: 100, failed: 5 },
      ],
      ...[
        { requests: 100, failed: 6 },
        { requests: 100, failed: 51 },
      ],
    ],
  }
  const html = pageOf({ groups: [{ name: 'g' }], figures: [ofGroup(1, 0)], bars })
  expect(html).toContain(
    'aria-label="Last 90 days: 1 without failures, 1 with few failures, 1 degraded, 1 down, 86 without data"',
  )
  expect(html).toContain('<title>22 Nov 2026: 49.00% · 51 of 100 requests failed</title>')
  expect(html).toContain('<title>11:00 UTC: 100% · 0 of 9 requests failed</title>')
  expect(html.match(/<rect x/g)).toHaveLength(8)
})

test('incidents of all groups are told with times in UTC, those that go on first', () => {
  const at = (hour: number) => Date.UTC(2026, 10, 22, hour)
  const hours = (groupId: number) =>
    groupId === 1
      ? [{ startedAt: at(12), requests: 200, failed: 67 }]
      : [
          { startedAt: at(3), requests: 10, failed: 9 },
          { startedAt: at(14), requests: 9, failed: 8 },
        ]
  const html = pageOf({
    groups: [{ name: 'a' }, { name: 'b' }],
    figures: [ofGroup(1, 0), ofGroup(2, 90)],
    bars: { ...empty, hours },
  })
  const told = textOf(html).match(
    /[ab] (down|degraded) .*? failed · [^ ]* succeeded [a-z0-9]+ [a-z]+/g,
  )
  expect(told).toEqual([
    'b down since 22 Nov 2026 14:00 UTC 8 of 9 requests failed · 11.11% succeeded still down',
    'a degraded 22 Nov 2026 12:00 – 13:00 UTC 67 of 200 requests failed · 66.50% succeeded 1 hour',
    'b down 22 Nov 2026 03:00 – 04:00 UTC 9 of 10 requests failed · 10.00% succeeded 1 hour',
  ])
  expect(html).toContain('<time datetime="2026-11-22T12:00Z">22 Nov 2026 12:00</time>')
})

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  `' onmouseover='alert(1)`,
  '</style></title><svg onload=alert(1)>',
  '&lt;b&gt;&amp;',
  '默认【官转·稳定】',
  '\u202eevil\u0000\ud800',
]

test.each(['en', 'zh'] as const)(
  'names and descriptions are text, whatever they are (%s)',
  (language) => {
    const html = pageOf({
      language,
      siteName: hostile.join(''),
      groups: hostile.map((name) => ({ name, description: name })),
      figures: hostile.flatMap((model, at) => [{ ...ofGroup(at + 1, 60), model }]),
      bars: {
        ...empty,
        hours: () => [{ startedAt: Date.UTC(2026, 10, 22, 1), requests: 1, failed: 1 }],
      },
    })
    const tags = new Set([...html.matchAll(/<([a-z0-9]+)/g)].map(([, name = '']) => name))
    for (const tag of ['script', 'img', 'iframe', 'object']) expect(tags).not.toContain(tag)
    expect(html.match(/<link [^>]*>/g)).toEqual(['<link rel="icon" href="/favicon.svg">'])
    for (const tag of html.match(/<[a-z][^>]*>/g) ?? [])
      expect(tag.replace(/"[^"]*"/g, '')).not.toMatch(/\son\w+=/i)
    expect(html.match(/<style>/g)).toHaveLength(2)
    expect(html.match(/<\/style>/g)).toHaveLength(2)
    for (const name of hostile) expect(html).toContain(`<bdi>${Bun.escapeHTML(name)}</bdi>`)
    for (const [, link] of html.matchAll(/href="([^"]*)"/g)) expect(link).toMatch(/^[#/?]/)
  },
)

describe('60 KB are enough', () => {
  const many = (groups: readonly SoldGroup[], models: readonly string[], failed = 0): Shown => ({
    groups,
    figures: groups.flatMap((_, at) =>
      models.map((model) => ({ ...ofGroup(at + 1, at === 77 ? 90 : failed), model })),
    ),
    bars: {
      bars: (window) =>
        Array.from({ length: window === '24h' ? 24 : 90 }, (_, at) => ({
          requests: 1_234,
          failed: [0, 3, 70, 700][at % 4] ?? 0,
        })),
      hours: () =>
        Array.from({ length: 420 }, (_, at) => ({
          ...{ startedAt: Date.UTC(2026, 9, 18) + at * 7_200_000, requests: 1_234, failed: 1_000 },
        })),
    },
  })
  const names = (count: number, name: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => ({ name: name(at) }))
  const models = Array.from({ length: 60 }, (_, at) => `vendor/model-${at}-instruct-2026-11-20`)
  const size = (html: string) => Buffer.byteLength(html)

  test.each(['en', 'zh'] as const)(
    'for 100 groups of 60 models, and what is left out is told (%s)',
    (language) => {
      const shown = many(
        names(100, (at) => `第${at}组【官转·稳定】`),
        models,
      )
      const html = pageOf({ ...shown, language })
      expect(size(html)).toBeLessThan(60_000)
      expect(size(html)).toBeGreaterThan(50_000)
      for (let at = 0; at < 100; at++) expect(html.split(`id="g${at + 1}"`)).toHaveLength(2)
      expect(html.match(/<section class="g"/g)?.length).toBeGreaterThan(6)
      // The one that is down is not one of those that have but a row.
      expect(html).toContain('<section class="g" id="g78">')
      expect(html).toContain('href="/api/v1/status"')
      expect(html).toContain(
        `href="/api/v1/status?group=${encodeURIComponent('第77组【官转·稳定】')}"`,
      )
    },
  )

  test('for 2,000 groups with the longest and worst of names', () => {
    const html = pageOf(
      many(
        names(2_000, (at) => `${'"'.repeat(80)}${at}`),
        ['m'],
      ),
    )
    expect(size(html)).toBeLessThan(60_000)
    expect(textOf(html)).toMatch(/1,[89]\d\d more groups are not shown here/)
    // The one that is down is not one of those that are left out.
    expect(html.includes('id="g78"')).toBe(true)
  })

  test('for a few groups with all that can be told', () => {
    const html = pageOf(
      many(
        names(2, (at) => `g${at}`),
        models,
      ),
    )
    expect(size(html)).toBeLessThan(60_000)
    expect(html.match(/<rect x/g)).toHaveLength(2 * 114)
    expect(textOf(html)).toContain('10 more models are not shown here')
    expect(html.match(/<th scope="row">/g)).toHaveLength(2 * 50)
  })
})

describe('both languages', () => {
  const { chart, states, bars, oldest, latest, openNow, explained, ...rest } = chinese

  test('say all there is to say', () => {
    const keys = (of: object) => Object.keys(of).toSorted()
    expect(keys(chinese)).toEqual(keys(english))
    expect(explained).toHaveLength(english.explained.length)
    const texts = [rest, states, bars, oldest, latest, openNow, explained, chart].flatMap((part) =>
      Object.values(part).filter((value) => typeof value === 'string'),
    )
    for (const text of texts) if (text !== 'zh-Hans') expect(text).toMatch(/[\u4e00-\u9fff]/)
  })

  test('and no word of the one is on the page of the other', () => {
    const figures = [{ ...ofGroup(1, 20) }, ofGroup(2, 60), ofGroup(3, 0)]
    const groups = [{ name: 'x' }, { name: 'y' }, { name: 'z' }, { name: 'w' }]
    const hours = () => [{ startedAt: Date.UTC(2026, 10, 20), requests: 9, failed: 8 }]
    const shown = { groups, figures, bars: { ...empty, hours }, siteName: 'S' }
    const chinese = pageOf({ ...shown, language: 'zh' })
    expect(chinese).toContain('<html lang="zh-Hans">')
    const left = textOf(chinese).replace(/UTC|JSON|English|Tollgate|Token|\bms\b/g, '')
    expect(left.match(/[a-zA-Z]{2,}/g)).toBeNull()
    const english = textOf(pageOf(shown)).replace('中文', '')
    expect(english).not.toMatch(/[\u4e00-\u9fff]/)
  })
})

const windowsOf: readonly WindowName[] = ['1h', '24h']
test('times and speeds are those that were measured', () => {
  const timed: Partial<AvailabilityCounts> = {
    ...{ succeeded: 4, firstByte: [0, 0, 0, 0, 0, 4], outputTokens: 900, generationMs: 10_000 },
  }
  const counts = Object.fromEntries(windowsOf.map((name) => [name, timed]))
  const html = textOf(
    pageOf({ groups: [{ name: 'g' }], figures: [{ groupId: 1, model: 'm', counts }] }),
  )
  expect(html).toContain('First token half within 850 ms , 95% within 985 ms'.replace(' ,', ','))
  expect(html).toContain('90.0 tokens/s')
})
