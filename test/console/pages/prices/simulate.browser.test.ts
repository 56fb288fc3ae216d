import { afterAll, beforeAll, test } from 'bun:test'
import { describeInBrowser } from '../../../support/browser.ts'
import { press, startConsolePages } from '../../../support/console-pages.ts'

describeInBrowser('a price that is simulated', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
    await (await pages.scene.chat()).text()
    await pages.scene.tollgate.settled()
  })
  afterAll(() => pages?.stop())

  test('has figures only while it is the one in the form, for the days that are chosen', async () => {
    const page = await pages.open('admin', '/admin/prices?model=test-model')
    const input = page.locator('[data-path="input"]')
    const figures = page.getByText('At this price')
    await input.fill('3')
    await press(page, 'Simulate this price')
    await figures.waitFor()
    await input.fill('300')
    await figures.waitFor({ state: 'hidden' })
    await press(page, 'Simulate this price')
    await figures.waitFor()
    await page.getByLabel('Recorded requests of the last').selectOption('30 days')
    await figures.waitFor({ state: 'hidden' })
  })
})
