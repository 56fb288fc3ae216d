import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { describeInBrowser, openBrowser } from '../../support/browser.ts'
import { people, startConsoleScene } from '../../support/console-scene.ts'

// The gateway can't be reached for a while.

const unreachable = '无法连接网关。请确认它正在运行且网络正常。'

describeInBrowser('while the gateway is not there', () => {
  let scene: Awaited<ReturnType<typeof startConsoleScene>>
  let browser: Browser
  let server: ReturnType<typeof Bun.serve>
  let page: Page
  beforeAll(async () => {
    ;[scene, browser] = await Promise.all([startConsoleScene(), openBrowser()])
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => scene.tollgate.app.handle(request),
    })
    const extraHTTPHeaders = { 'x-test-person': people.user }
    page = await browser.newPage({ locale: 'zh-CN', extraHTTPHeaders })
    page.setDefaultTimeout(10_000)
  }, 30_000)
  afterAll(async () => {
    await browser?.close()
    server?.stop(true)
    await scene?.stop()
  })

  const api = '**/api/v1/**'
  const open = (path: string) => page.goto(`${server.url.origin}/console${path}`)
  const complaints = () => page.getByRole('alert').filter({ hasText: unreachable })

  test('a page that is not there yet is only the word about it', async () => {
    await page.route(api, (route) => route.abort())
    await open('/balance')
    await complaints().waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    await page.unroute(api)
    await page.getByRole('button', { name: '重试' }).click()
    await page.getByRole('heading', { name: '余额', level: 1 }).waitFor()
  }, 30_000)

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
  }, 30_000)
})
