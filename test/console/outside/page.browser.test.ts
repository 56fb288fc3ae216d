import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { startSignIn } from '../../app/console/sign-in-scene.ts'
import { enterNewAccount, follow, signIn } from '../../e2e/console/console-binary.ts'
import { describeInBrowser, openBrowser, type TestBrowser } from '../../support/browser.ts'

// Who signs in again in a tab where somebody was signed in before.

const ann = { email: 'ann@example.com', password: 'the-password-of-ann' }
const cleo = { email: 'cleo@example.com', password: 'the-password-of-cleo' }
const ben = { email: 'ben@example.com', password: 'the-password-of-ben' }

describeInBrowser('after a session has ended elsewhere', () => {
  let app: Awaited<ReturnType<typeof startSignIn>>
  let browser: TestBrowser
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    const token = { name: 'key of ann', key: 'sk-ann-0123456789abcdefghijklmnop', group: 'default' }
    const settings = { registration_enabled: true }
    const moreAccounts = [{ ...ann, role: 'admin', tokens: [token] }, ben]
    ;[app, browser] = await Promise.all([startSignIn({ moreAccounts, settings }), openBrowser()])
    context = await browser.newContext({ locale: 'en-US' })
    context.setDefaultTimeout(60_000)
    page = await context.newPage()
    await page.clock.install()
    await page.goto(`${app.serving.url}/console/tokens`)
  })
  afterAll(async () => {
    await browser?.close()
    await app?.[Symbol.asyncDispose]()
  })

  /** Signs out in another tab; whoever comes back to this one is asked to sign in. */
  async function endElsewhere(): Promise<void> {
    const other = await context.newPage()
    await other.goto(`${app.serving.url}/console`)
    await other.getByRole('button', { name: /· Account$/ }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.close()
    await page.clock.fastForward('00:15')
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }

  test('the right password leads back to the page that one was on', async () => {
    await signIn(page, ann, 'Sign in')
    await page.getByText('key of ann').waitFor()
    await endElsewhere()
    await signIn(page, ann, 'Sign in')
    await page.getByText('key of ann').waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/tokens')
  })

  test('somebody else sees nothing of who was there before', async () => {
    await endElsewhere()
    await page.addInitScript(`window.seen = []
      new MutationObserver(() => seen.push(document.body?.innerText ?? ''))
        .observe(document, { childList: true, subtree: true, characterData: true })`)
    await signIn(page, ben, 'Sign in')
    await page.getByText('You have no token yet').waitFor()
    const seen = (await page.evaluate('window.seen')) as readonly string[]
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.filter((text) => /key of ann|\bann\b/.test(text))).toEqual([])
  })

  test('who makes an account there is in it at once, on the page that was wanted', async () => {
    await endElsewhere()
    await page.getByRole('link', { name: 'Create one' }).click()
    await enterNewAccount(page, cleo, 'Create account')
    await page.getByRole('button', { name: `${cleo.email} · Account` }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/tokens')
  })

  test('and is told with the first key that there is no money yet', async () => {
    await follow(page, 'Overview')
    await page.getByRole('link', { name: 'Make a token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Make token' }).click()
    await dialog.getByText('Your balance is $0.00: requests are refused').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await follow(page, 'Overview')
    await page.getByText('You have no token yet').waitFor({ state: 'hidden', timeout: 30_000 })
  })
})
