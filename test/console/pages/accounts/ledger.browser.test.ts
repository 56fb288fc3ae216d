import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeInBrowser } from '../../../support/browser.ts'
import { startConsolePages } from '../../../support/console-pages.ts'

describeInBrowser('the ledger of another account', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  let path: string
  beforeAll(async () => {
    pages = await startConsolePages()
    await (await pages.scene.chat()).text()
    await pages.scene.tollgate.settled()
    path = `/admin/accounts/${(await pages.scene.store.admin.account('user@example.com'))?.id}`
  })
  afterAll(() => pages?.stop())

  test('leads an administrator to the request of each charge', async () => {
    const page = await pages.open('admin', path)
    await page.getByText('All entries').click()
    await page.getByRole('row').filter({ hasText: 'Charge' }).getByRole('link').click()
    await page.getByRole('heading', { name: 'Bill' }).waitFor()
    expect(page.url()).toContain('/admin/requests/')
  })
})
