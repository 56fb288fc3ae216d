import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { follow } from '../e2e/console/console-binary.ts'
import { describeInBrowser, openBrowser } from '../support/browser.ts'
import { people, startConsoleScene } from '../support/console-scene.ts'

// Pages one after another, as the menu leads to them.

describeInBrowser('the console', () => {
  let scene: Awaited<ReturnType<typeof startConsoleScene>>
  let browser: Browser
  let server: ReturnType<typeof Bun.serve>
  beforeAll(async () => {
    ;[scene, browser] = await Promise.all([startConsoleScene(), openBrowser()])
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => scene.tollgate.app.handle(request),
    })
  }, 30_000)
  afterAll(async () => {
    await browser?.close()
    server?.stop(true)
    await scene?.stop()
  })

  async function visit(path: string, locale = 'en-US'): Promise<Page> {
    const extraHTTPHeaders = { 'x-test-person': people.admin }
    const page = await browser.newPage({ locale, extraHTTPHeaders })
    page.setDefaultTimeout(5_000)
    await page.goto(`${server.url.origin}/console${path}`)
    return page
  }

  test('each page of the menu works after the others, in either order', async () => {
    const page = await visit('/')
    const links = page.getByRole('navigation').locator('a[href^="/console"]')
    await links.first().waitFor()
    const names = (await links.allTextContents()).filter((name) => name !== 'Overview')
    expect(names.length).toBeGreaterThan(15)
    const broken: string[] = []
    page.on('pageerror', ({ message }) => broken.push(message))
    for (const name of [...names, ...names.toReversed()]) {
      await follow(page, name)
      await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
    }
    expect(broken).toEqual([])
    await page.close()
  }, 30_000)
})
