import { afterAll, beforeAll, test } from 'bun:test'
import { describeInBrowser } from '../../../support/browser.ts'
import { startConsolePages } from '../../../support/console-pages.ts'

describeInBrowser('who tops up an account', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  beforeAll(async () => {
    pages = await startConsolePages()
  })
  afterAll(() => pages?.stop())

  for (const [typed, booked] of [
    ['.5', '$0.50'],
    ['1e3', '$1,000.00'],
  ] as const) {
    test(`is told what was booked, and not what was typed: ${typed}`, async () => {
      const account = await pages.scene.store.admin.account('user@example.com')
      const page = await pages.open('admin', `/admin/accounts/${account?.id}`)
      await page.getByLabel('Amount (USD)').fill(typed)
      await page.getByLabel('Reason').fill('a test')
      await page.keyboard.press('Enter')
      await page.getByText(`${booked} added.`).waitFor()
    })
  }
})
