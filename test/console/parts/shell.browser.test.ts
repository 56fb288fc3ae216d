import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { describeInBrowser, openBrowser, type TestBrowser } from '../../support/browser.ts'
import { people, serveScene, startConsoleScene } from '../../support/console-scene.ts'

// The gateway can't be reached for a while.

const unreachable = '无法连接网关。请确认它正在运行且网络正常。'

describeInBrowser('while the gateway is not there', () => {
  let scene: Awaited<ReturnType<typeof startConsoleScene>>
  let browser: TestBrowser
  let server: ReturnType<typeof Bun.serve>
  let page: Page
  beforeAll(async () => {
    ;[scene, browser] = await Promise.all([startConsoleScene(), openBrowser()])
    server = serveScene(scene)
    const extraHTTPHeaders = { 'x-test-person': people.user }
    page = await browser.newPage({ locale: 'zh-CN', extraHTTPHeaders })
    page.setDefaultTimeout(60_000)
    await page.clock.install()
  })
  afterAll(async () => {
    await browser?.close()
    server?.stop(true)
    await scene?.stop()
  })

  const api = '**/api/v1/**'
  const open = (path: string) => page.goto(`${server.url.origin}/console${path}`)
  /** Whoever comes back to a page reads it anew. */
  async function comeBack(): Promise<void> {
    await page.clock.fastForward('01:00')
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
  }
  const complaints = () => page.getByRole('alert').filter({ hasText: unreachable })

  describe('a page that is there stays, with a word about it', () => {
    async function loseAndFind(check: () => Promise<void>): Promise<void> {
      await page.route(api, (route) => route.abort())
      await comeBack()
      // Of the frame and of the page itself.
      await complaints().nth(1).waitFor()
      expect(await page.getByText('Failed to fetch').count()).toBe(0)
      await check()
      await page.unroute(api)
      for (let left = 2; left > 0; left--) {
        await page.getByRole('button', { name: '重试' }).first().click()
        await complaints()
          .nth(left - 1)
          .waitFor({ state: 'hidden' })
      }
      await check()
    }

    test('what is typed in the playground', async () => {
      await open('/playground')
      const question = page.getByLabel('用户输入')
      await question.fill('a long question')
      await loseAndFind(async () => expect(await question.inputValue()).toBe('a long question'))
    })

    test('what is typed for a token', async () => {
      await open('/tokens/1')
      const name = page.getByLabel('名称')
      await name.fill('another name')
      await loseAndFind(async () => expect(await name.inputValue()).toBe('another name'))
    })

    test('the rows of a list', async () => {
      await open('/tokens')
      const row = page.getByRole('link', { name: 'test', exact: true })
      await row.waitFor()
      await loseAndFind(async () => expect(await row.count()).toBe(1))
    })
  })

  test('a page that is not there yet is only the word about it', async () => {
    await page.route(api, (route) => route.abort())
    await open('/balance')
    await complaints().waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    await page.unroute(api)
    await page.getByRole('button', { name: '重试' }).click()
    await page.getByRole('heading', { name: '余额', level: 1 }).waitFor()
  })

  test('what did not get through is asked again', async () => {
    const asked: string[] = []
    await page.route(api, (route) => {
      const { pathname } = new URL(route.request().url())
      const isFirst = !asked.includes(pathname)
      asked.push(pathname)
      return isFirst ? route.abort() : route.continue()
    })
    for (const path of ['/tokens', '/plaza']) {
      await open(path)
      await page.getByText(path === '/tokens' ? 'test' : 'test-model', { exact: true }).waitFor()
      expect(await complaints().count()).toBe(0)
    }
    expect(asked.filter((path) => path === '/api/v1/model-plaza')).toHaveLength(2)
    await page.unroute(api)
  })

  test('the plaza leads to a model’s page on the public site', async () => {
    await open('/plaza')
    await page.getByRole('button', { name: 'test-model' }).click()
    await page.getByRole('button', { name: '复制链接' }).waitFor()
    const link = page.getByRole('link', { name: '公开页面' })
    expect(await link.getAttribute('href')).toBe('/models/test-model')
  })
})
