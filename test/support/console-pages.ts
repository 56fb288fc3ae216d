import type { Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { type Person, people, serveScene, startConsoleScene } from './console-scene.ts'

type Options = Parameters<typeof startConsoleScene>[0]

/** How somebody looks at a page. */
interface Look {
  readonly locale?: 'en-US' | 'zh-CN'
  readonly width?: number
}

/** Takes from a page what a test has left there. */
async function renew(page: Page): Promise<void> {
  page.removeAllListeners('pageerror')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
}

/** A scene of the console, and a browser in which its people look at it. */
export async function startConsolePages(yaml?: Options) {
  const [scene, browser] = await Promise.all([startConsoleScene(yaml), openBrowser()])
  const server = serveScene(scene)
  const known = new Map<string, Page>()

  return {
    scene,
    /**
     * A page of the console, `/admin/groups/1`, as this person sees it: the same for each test, as if it were new,
     * because another one takes twice as long.
     */
    async open(
      person: Person,
      path: string,
      { locale = 'en-US', width = 1280 }: Look = {},
    ): Promise<Page> {
      const kind = `${person} ${locale}`
      const extraHTTPHeaders = { 'x-test-person': people[person] }
      const page = known.get(kind) ?? (await browser.newPage({ locale, extraHTTPHeaders }))
      if (known.has(kind)) await renew(page)
      known.set(kind, page)
      page.setDefaultTimeout(60_000)
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${server.url.origin}/console${path}`)
      return page
    },
    async stop() {
      await browser.close()
      server.stop(true)
      await scene.stop()
    },
  }
}

/** Makes a page look for what is new, as when people come back to it a minute later. */
export async function comeBackTo(page: Page): Promise<void> {
  const now = Number(await page.evaluate('Date.now()'))
  await page.clock.setSystemTime(now + 60_000)
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
}

/** Presses a button. */
export const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click()

/** Presses a button, and one of this name in the dialog that it opens. */
export async function pressTwice(page: Page, name: string): Promise<void> {
  await press(page, name)
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
}
