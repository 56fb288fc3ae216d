import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  accessibilityProblems,
  describeInBrowser,
  expectToFit,
  openBrowser,
  type TestBrowser,
} from '../../support/browser.ts'
import { hourMs, type MadeMinute, minuteMs, startStatusScene } from './scene.ts'

// The status page in a real browser: what axe finds, how wide it is, what the keyboard reaches.

const models = ['gpt-5-mini', 'vendor/a-model-with-a-very-long-name-instruct-2026-11-preview']
const groups = [
  { name: '默认【官转·稳定】', description: 'Official channels' },
  { name: 'degraded', description: 'x'.repeat(150) },
  { name: 'down' },
  { name: '<script>document.title = "run"</script>' },
]
const hours = Array.from({ length: 30 }, (_, at) => at * hourMs + minuteMs)
const minutes: readonly MadeMinute[] = groups
  .slice(0, 3)
  .flatMap(({ name }, at) =>
    hours.flatMap((agoMs) =>
      models.map((model) => ({ group: name, model, agoMs, succeeded: 20, failed: at * 15 })),
    ),
  )

describeInBrowser('in a browser', () => {
  let browser: TestBrowser
  let scene: Awaited<ReturnType<typeof startStatusScene>>
  beforeAll(async () => {
    scene = await startStatusScene({ site: { name: 'A gateway' }, groups, models, minutes })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  interface How {
    readonly path?: string
    readonly query?: string
    readonly scheme?: 'light' | 'dark'
    readonly width?: number
  }

  /** Opens the page, and gives it to `work`; fails when the browser complains of anything. */
  async function look<Result>(how: How, work: (page: Page) => Promise<Result>): Promise<Result> {
    const { path = '/status', query = '', scheme = 'light', width = 1280 } = how
    const viewport = { width, height: 800 }
    const context = await browser.newContext({ colorScheme: scheme, viewport, locale: 'en' })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    try {
      await page.goto(`${scene.url}${path}${query}`)
      const result = await work(page)
      expect(complaints).toEqual([])
      for (const url of asked) expect(url).toStartWith(scene.url)
      return result
    } finally {
      await context.close()
    }
  }

  const openAll = async (page: Page) => {
    for (const summary of await page.locator('summary').all()) await summary.click()
  }

  const docs = [
    ['/docs/clients', 'light', 1280],
    ['/docs/search?q=budget', 'dark', 390],
  ] as const
  test.each(docs)(
    'axe finds nothing in the documentation (%s, %s, %d px), and nothing is wider than the window',
    async (path, scheme, width) => {
      await look({ path, scheme, width }, async (page) => {
        expect(await accessibilityProblems(page)).toEqual([])
        await expectToFit(page)
      })
    },
    60_000,
  )

  test('a form of the API sends the token of its reader, and shows the answer', async () => {
    await look({ path: '/docs/api' }, async (page) => {
      const form = page.locator('.try', { has: page.locator('[data-path="/v1/usage"]') })
      await form.locator('summary').click()
      await form.locator('[name=token]').fill('sk-of-nobody')
      await page.route('**/v1/usage', (route) =>
        route.fulfill({ json: { seen: route.request().headers().authorization } }),
      )
      await form.locator('button').click()
      await form.locator('output', { hasText: '"seen": "Bearer sk-of-nobody"' }).waitFor()
      expect(await page.locator('.try [name=token]').first().inputValue()).toBe('sk-of-nobody')
    })
  }, 60_000)

  const looks = [
    ['en', 'light', 1280],
    ['en', 'dark', 390],
    ['zh', 'dark', 1280],
    ['zh', 'light', 390],
  ] as const
  test.each(looks)(
    'axe finds nothing (%s, %s, %d px), and nothing is wider than the window',
    async (lang, scheme, width) => {
      await look({ query: `?lang=${lang}`, scheme, width }, async (page) => {
        await openAll(page)
        expect(await accessibilityProblems(page)).toEqual([])
        await expectToFit(page)
      })
    },
  )

  test('no name runs as a script, and each bar that was measured has a text', async () => {
    await look({}, async (page) => {
      expect(await page.title()).toBe('1 of 4 groups is down, 1 is degraded · A gateway')
      // Two of each group that was ever measured.
      expect(await page.locator('svg[role=img][aria-label]').count()).toBe(6)
      const titles = await page.locator('#g2 rect title').allTextContents()
      expect(titles).toHaveLength(26)
      for (const title of titles) expect(title).toMatch(/: 57\.14% · .* requests failed$/)
    })
  })

  test('the keyboard opens the models, and changes the language', async () => {
    await look({}, async (page) => {
      await page.locator('summary').first().focus()
      await page.keyboard.press('Enter')
      expect(await page.locator('details').first().getAttribute('open')).toBe('')
      await page.locator('a[lang=zh-Hans]').focus()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/status?lang=zh')
      expect(await page.locator('h1').textContent()).toBe('4 个分组中，1 个不可用，1 个部分异常')
    })
  })
})
