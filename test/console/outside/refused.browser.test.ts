import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Person, startOidcProvider } from '../../app/console/oidc-provider.ts'
import { admin, startSignIn } from '../../app/console/sign-in-scene.ts'
import { describeInBrowser, openBrowser, type TestBrowser } from '../../support/browser.ts'

// Whom a provider sends back without a session is told why, in words of the console's own.

const stranger = { sub: 'person-1', email: 'stranger@example.com', email_verified: true }
const unverified = { sub: 'person-2', email: admin.email, email_verified: false }

describeInBrowser('who is not let in by a provider', () => {
  let provider: Awaited<ReturnType<typeof startOidcProvider>>
  let app: Awaited<ReturnType<typeof startSignIn>>
  let browser: TestBrowser
  beforeAll(async () => {
    provider = await startOidcProvider()
    const signIn = { oidc: [provider.config] }
    ;[app, browser] = await Promise.all([startSignIn({ signIn }), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await app?.[Symbol.asyncDispose]()
    await provider?.stop()
  })

  const known = new Map<string, Page>()
  async function visit(path: string, locale: string): Promise<Page> {
    const page = known.get(locale) ?? (await browser.newPage({ locale }))
    known.set(locale, page)
    page.setDefaultTimeout(60_000)
    await page.unrouteAll()
    await page.context().clearCookies()
    await page.goto(`${app.serving.url}/console${path}`)
    return page
  }

  test.each<[string, string, Person, string]>([
    ['no account', 'en-US', stranger, 'There is no account for you here yet'],
    ['no account', 'zh-CN', stranger, '还没有对应的账户'],
    ['another’s account', 'en-US', unverified, 'There is an account with your e-mail address'],
    ['another’s account', 'zh-CN', unverified, '已有使用此邮箱的账户'],
  ])('%s: is told so, in the language of the page, %s', async (_, locale, person, words) => {
    const page = await visit('/tokens', locale)
    await page.route(`${provider.origin}/authorize?**`, (route) => {
      const location = provider.approve(route.request().url(), person).href
      return route.fulfill({ status: 302, headers: { location } })
    })
    await page.getByRole('button', { name: 'Company' }).click()
    await page.getByRole('alert').filter({ hasText: words }).waitFor()
  })

  test.each([
    ['access_denied', 'Cancelled or refused at the other site'],
    ['state_mismatch', 'The sign-in took too long, or was begun in another browser'],
    ['unable_to_create_session', 'Sign-in failed'],
    ['Call+555-1234', 'Sign-in failed'],
    ['constructor', 'Sign-in failed'],
    ['1', 'Sign-in failed'],
  ])('of %s nothing is read out but what it means', async (error, words) => {
    const said = 'Call 555-1234'
    const path = `/sign-in?error=${error}&error_description=${encodeURIComponent(said)}`
    const page = await visit(path, 'en-US')
    await page.getByRole('alert').filter({ hasText: words }).waitFor()
    expect(await page.locator('body').textContent()).not.toContain(said)
  })

  test('who was refused nothing reads of no refusal', async () => {
    const page = await visit('/sign-in', 'en-US')
    await page.getByRole('button', { name: 'Company' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})
