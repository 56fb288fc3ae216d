import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { describeInBrowser } from '../../../support/browser.ts'
import { comeBackTo, press, pressTwice, startConsolePages } from '../../../support/console-pages.ts'

// The settings of an account, in a real browser.

describeInBrowser('the settings of an account', () => {
  let pages: Awaited<ReturnType<typeof startConsolePages>>
  let id: number
  beforeAll(async () => {
    pages = await startConsolePages()
    id = (await pages.scene.store.admin.account('user@example.com'))?.id ?? 0
  })
  afterAll(() => pages?.stop())

  const read = async () =>
    (await pages.scene.ask('admin', 'GET', `/api/v1/admin/accounts/${id}`)).data
  /** What another administrator saves. */
  async function save(change: object) {
    const { revision } = await read()
    const path = `/api/v1/admin/accounts/${id}`
    const { status } = await pages.scene.ask('admin', 'PATCH', path, { ...change, revision })
    expect(status).toBe(200)
  }
  const open = () => pages.open('admin', `/admin/accounts/${id}`)
  const none = { rpm: null, tpm: null, concurrency: null }
  beforeEach(() =>
    save({ status: 'active', credit_limit: '0', balance_low_below: null, limits: none }),
  )

  for (const typed of ['1,000', '1 000']) {
    test(`takes ${typed} for a thousand, and never for no limit`, async () => {
      await save({ limits: { rpm: 60 } })
      const page = await open()
      const field = page.getByLabel('Requests a minute')
      await field.fill(typed)
      await press(page, 'Save')
      await page.getByText('It applies from the next request on').waitFor()
      expect(await read()).toMatchObject({ limits: { rpm: 1000 } })
    })
  }

  test('refuse at its field what is no limit', async () => {
    await save({ limits: { rpm: 60 } })
    const page = await open()
    await page.getByLabel('Requests a minute').fill('-')
    await page.keyboard.press('Enter')
    await page.locator('.mantine-InputWrapper-error').waitFor()
    expect(await read()).toMatchObject({ limits: { rpm: 60 } })
  })

  test('keep what is typed when it is suspended', async () => {
    const page = await open()
    await page.getByLabel('Credit limit').fill('25')
    await pressTwice(page, 'Suspend')
    await page.getByRole('button', { name: 'Reactivate' }).waitFor()
    expect(await page.getByLabel('Credit limit').inputValue()).toBe('25')
    await press(page, 'Save')
    await page.getByText('It applies from the next request on').waitFor()
    expect(await read()).toMatchObject({ credit_limit: '25', status: 'disabled' })
  })

  test('keep what is typed when another has saved; who typed nothing sees what is new', async () => {
    const page = await open()
    const credit = page.getByLabel('Credit limit')
    await credit.waitFor()
    await save({ credit_limit: '5' })
    await comeBackTo(page)
    await page.locator('input[value="5"]').waitFor()

    await credit.fill('25')
    await save({ balance_low_below: '3', credit_limit: '6' })
    await comeBackTo(page)
    await page.getByText('Credit limit: $6.00').waitFor()
    expect(await credit.inputValue()).toBe('25')
    await press(page, 'Save')
    await page.getByText('Credit limit (USD): 5 → 6').waitFor()
    expect(await credit.inputValue()).toBe('25')
    await press(page, 'Keep mine')
    await page.getByText('It applies from the next request on').waitFor()
    expect(await read()).toMatchObject({ credit_limit: '25', balance_low_below: '3' })
  })
})
