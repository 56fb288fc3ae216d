import { afterAll, beforeAll, expect, test } from 'bun:test'
import { follow } from '../e2e/console/console-binary.ts'
import { accessibilityProblems, describeInBrowser } from '../support/browser.ts'
import { startConsolePages } from '../support/console-pages.ts'

// Pages one after another, as the menu leads to them.

describeInBrowser('the console', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
  })
  afterAll(() => pages?.stop())

  test('each page of the menu works after the others, in either order', async () => {
    const page = await pages.open('admin', '/')
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
  })

  test('an address that leads nowhere has the menu; Ctrl-K leads on from there', async () => {
    const page = await pages.open('admin', '/nowhere')
    const lost = page.getByRole('heading', { name: 'There is no such page', level: 1 })
    await lost.waitFor()
    await page.goto(page.url().replace('/nowhere', '/tokens/nowhere'))
    await lost.waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Tokens' }).waitFor()
    await page.keyboard.press('Control+k')
    // Places are found by their names in the other language, too.
    await page.getByRole('textbox').fill('添加渠道')
    await page.getByRole('button', { name: 'Add channel' }).waitFor()
    await page.getByRole('textbox').fill('状态页')
    await page.getByRole('button', { name: /^Status page/ }).waitFor()
    await page.getByRole('textbox').fill('test-model')
    await page.getByRole('button', { name: 'Search the documentation for “test-model”' }).waitFor()
    await page
      .getByRole('button', { name: /^test-model/ })
      .first()
      .click()
    await page.waitForURL(/\/console\/plaza\?search=test-model/)
  })

  test('a page that cannot be loaded leaves the one that is shown, and says so', async () => {
    const page = await pages.open('admin', '/tokens')
    await page.getByText('You have no token yet').waitFor()
    const gone = (url: URL) => url.pathname.startsWith('/console')
    await page.route(gone, (route) => route.abort())
    const link = page.getByRole('navigation').getByRole('link', { name: 'Balance' })
    await link.click()
    const notice = page.getByRole('alert').filter({ hasText: 'The page could not be opened' })
    await notice.waitFor()
    await page.getByText('You have no token yet').waitFor()
    await page.unroute(gone)
    await notice.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Balance', level: 1 }).waitFor()
    expect(await notice.count()).toBe(0)
  })

  test.each([
    ['en-US', 'This page failed', 'Reload', 'To the overview', 'Overview'],
    ['zh-CN', '此页面出错了', '重新加载', '返回概览', '概览'],
  ] as const)('a page with a fault says so, and leads on: %s', async (locale, ...words) => {
    const [title = '', again = '', back = '', overview = ''] = words
    const page = await pages.open('admin', '/', { locale })
    // An answer that no page can read.
    const data = { items: null }
    await page.route('**/api/v1/admin/groups*', (route) => route.fulfill({ json: { data } }))
    await page.goto(page.url().replace(/\/console\/?$/, '/console/admin/groups'))
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    expect(await page.getByText('Something went wrong').count()).toBe(0)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('link', { name: back }).click()
    await page.getByRole('heading', { name: overview, level: 1 }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: title }).waitFor()
    await page.unroute('**/api/v1/admin/groups*')
    await page.getByRole('button', { name: again }).click()
    await page.getByText('default').first().waitFor()
  })
})
