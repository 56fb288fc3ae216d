import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { dialects } from '../e2e/dialects.ts'
import { describeInBrowser, openBrowser, type TestBrowser } from '../support/browser.ts'
import { people, serveScene, startConsoleScene } from '../support/console-scene.ts'

const { chat } = dialects
const tokens = { input: 100, output: 50 }

describeInBrowser('an answer that is stopped in the playground of a group that reads on', () => {
  let scene: Awaited<ReturnType<typeof startConsoleScene>>
  let browser: TestBrowser
  let server: ReturnType<typeof Bun.serve>
  let page: Page
  const end = Promise.withResolvers<void>()

  beforeAll(async () => {
    const group = { on_disconnect: 'drain' }
    ;[scene, browser] = await Promise.all([startConsoleScene({ group }), openBrowser()])
    scene.upstream.handle(() => {
      const encoder = new TextEncoder()
      async function* script() {
        yield encoder.encode(chat.first(tokens) + chat.piece('The first words.'))
        await end.promise
        yield encoder.encode(chat.last(tokens))
      }
      const headers = { 'content-type': 'text/event-stream' }
      return new Response(script() as unknown as Bun.BodyInit, { headers })
    })
    await scene.ask('admin', 'POST', '/api/v1/tokens', { name: 'mine', group: 'default' })
    server = serveScene(scene)
    page = await browser.newPage({ extraHTTPHeaders: { 'x-test-person': people.admin } })
  })
  afterAll(async () => {
    await browser?.close()
    server?.stop(true)
    await scene?.stop()
  })

  test('costs what its receipt says, however late it comes', async () => {
    await page.goto(`${server.url.origin}/console/playground`)
    await page.getByRole('combobox', { name: 'Model' }).fill('test-model')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('The first words.').first().waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText('where the group has answers read to their end, all of it').waitFor()
    await page.getByText('The cost is known when the answer has ended.').waitFor()
    const link = page.getByRole('link', { name: 'Request', exact: true })
    expect(await link.getAttribute('href')).toMatch(/^\/console\/requests\/req_/)
    end.resolve()
    await page.getByRole('link', { name: 'Receipt' }).waitFor()
    expect(await page.getByText(/^Cost \$0\.0\d+/).count()).toBe(1)
  })
})
