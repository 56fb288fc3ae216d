import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeInBrowser } from '../../../support/browser.ts'
import { comeBackTo, press, startConsolePages } from '../../../support/console-pages.ts'

// Two administrators at the settings of the gateway, in a real browser.

describeInBrowser('the settings of the gateway', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
  })
  afterAll(() => pages?.stop())

  const path = '/api/v1/admin/settings'
  const read = async () => {
    const { data } = await pages.scene.ask('admin', 'GET', path)
    const items = data.items as { name: string; value: unknown; source: string }[]
    const of = (name: string) => items.find((one) => one.name === name)
    return { revision: String(data.revision), of }
  }
  /** What another administrator saves. */
  async function save(changes: object) {
    const { revision } = await read()
    const { status } = await pages.scene.ask('admin', 'PATCH', path, { changes, revision })
    expect(status).toBe(200)
  }

  test('keep what is typed when another has saved, and ask whose to take', async () => {
    const page = await pages.open('admin', '/admin/settings')
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine')
    await page.getByRole('textbox', { name: 'Subtitle' }).fill('half typed')
    await page.getByText('2 settings are changed.').waitFor()
    await save({ 'site.name': 'Theirs', 'settings.max_attempts': 4 })
    await comeBackTo(page)
    await press(page, 'Save')
    await page.getByText(/Name: .* → Theirs/).waitFor()
    await page.getByText('6 → 4').waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Mine')
    expect(await page.getByRole('textbox', { name: 'Subtitle' }).inputValue()).toBe('half typed')
    await press(page, 'Keep mine')
    await page.getByText('It applies from the next request on').waitFor()
    const { of } = await read()
    expect(of('site.name')?.value).toBe('Mine')
    expect(of('site.subtitle')?.value).toBe('half typed')
    expect(of('settings.max_attempts')?.value).toBe(4)
  })

  test('go back to a default one by one', async () => {
    await save({ 'site.name': 'A name', 'settings.max_attempts': 4 })
    const page = await pages.open('admin', '/admin/settings')
    await page.getByRole('button', { name: /Back to default: .*attempts/i }).click()
    await page.getByText('1 setting is changed.').waitFor()
    await press(page, 'Save')
    await page.getByText('It applies from the next request on').waitFor()
    const { of } = await read()
    expect(of('settings.max_attempts')).toMatchObject({ value: 6, source: 'default' })
    expect(of('site.name')?.value).toBe('A name')
  })

  test('take a switch, and a choice', async () => {
    await save({ 'settings.registration_enabled': false })
    const page = await pages.open('admin', '/admin/settings')
    await page
      .getByLabel(/registration/i)
      .first()
      .check({ force: true })
    await press(page, 'Save')
    await page.getByText('It applies from the next request on').waitFor()
    expect((await read()).of('settings.registration_enabled')?.value).toBe(true)
  })
})
