import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { describeInBrowser, openBrowser, type TestBrowser } from '../support/browser.ts'
import { people, serveScene, startConsoleScene } from '../support/console-scene.ts'

// What is typed is not lost without a question.

describeInBrowser('what is typed on a page', () => {
  let scene: Awaited<ReturnType<typeof startConsoleScene>>
  let browser: TestBrowser
  let server: ReturnType<typeof Bun.serve>
  let page: Page
  beforeAll(async () => {
    ;[scene, browser] = await Promise.all([startConsoleScene(), openBrowser()])
    server = serveScene(scene)
    page = await browser.newPage({ locale: 'en-US' })
    page.setDefaultTimeout(60_000)
    await signIn()
  })
  afterAll(async () => {
    await browser?.close()
    server?.stop(true)
    await scene?.stop()
  })

  const signIn = () => page.setExtraHTTPHeaders({ 'x-test-person': people.admin })
  const open = (path: string) => page.goto(`${server.url.origin}/console${path}`)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).last().click()
  const follow = (name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click()
  const isAt = (path: string) => page.waitForURL(`${server.url.origin}/console${path}`)

  test('is asked about before the page is left, and stays where the answer is no', async () => {
    await open('/admin/groups/new')
    await page.getByLabel('Name').first().fill('typed')
    await follow('Accounts')
    await press('Stay here')
    expect(await page.getByLabel('Name').first().inputValue()).toBe('typed')
    await follow('Accounts')
    await press('Leave, and lose it')
    await isAt('/admin/accounts')
  })

  test('is not asked about once it is saved; and a multiplier of 0 is asked about first', async () => {
    await open('/admin/groups/new')
    await page.getByLabel('Name').first().fill('gift')
    await page.getByLabel('Multiplier').first().fill('0')
    await press('Add group')
    await page.getByText('Make everything in “gift” free?').waitFor()
    await press('Cancel')
    const groups = async () =>
      (await scene.store.edits.editableCatalog()).groups.map(({ name }) => name)
    expect(await groups()).not.toContain('gift')
    await press('Add group')
    await press('Make it free')
    await page.getByRole('heading', { name: 'gift' }).waitFor()
    expect(await groups()).toContain('gift')
    await follow('Accounts')
    await isAt('/admin/accounts')
  })

  test('comes back after the session has ended, but for secrets', async () => {
    await open('/admin/channels/new')
    await page.getByLabel('Name').first().fill('half-written')
    await page.getByLabel('API keys').first().fill('sk-a-secret-of-a-vendor')
    await page.getByLabel('Models').first().fill('one')
    await page.setExtraHTTPHeaders({})
    await page.getByLabel(/Chat/).first().fill('https://api.example.com/v1')
    await press('Add channel')
    await page.waitForURL(/\/console\/sign-in\?next=/)
    await page.getByText('Your session has ended').waitFor()
    await page.getByText('with what you had typed there').waitFor()
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(
      'sk-a-secret',
    )
    await signIn()
    await open('/admin/channels/new')
    await page.getByLabel('Name').first().waitFor()
    expect(await page.getByLabel('Name').first().inputValue()).toBe('half-written')
    expect(await page.getByLabel('Models').first().inputValue()).toBe('one')
    expect(await page.getByLabel('API keys').first().inputValue()).toBe('')
  })

  test('into a field whose list is not there yet is searched once it is', async () => {
    await open('/admin/groups/new')
    const field = page.getByLabel('Channels').first()
    await field.waitFor()
    let isLost = true
    const code = '**/console/assets/*.js'
    await page.route(code, (route) => (isLost ? route.abort() : route.continue()))
    const told = page.waitForEvent('dialog')
    await field.fill('mai')
    const dialog = await told
    expect(dialog.message()).toContain('connection')
    await dialog.accept()
    isLost = false
    await page.getByLabel('Name').first().focus()
    await field.focus()
    await page.getByRole('option', { name: 'main' }).waitFor()
    await page.unroute(code)
  })
})
